#!/bin/sh
# Makes the repository of the world `mill`, which no repository can hold as it is, with a branch
# for its pull request: make-repository.sh DIRECTORY
set -eu
mkdir "$1"
cd "$1"
export GIT_AUTHOR_DATE=2025-11-01T00:00:00Z GIT_COMMITTER_DATE=2025-11-01T00:00:00Z GIT_CONFIG_GLOBAL=/dev/null
git() {
    command git -c user.name=Ida -c user.email=ida@example.org "$@"
}
git init --quiet --initial-branch=main
echo '# The mill' > README.md
git add .
git commit --quiet --message=Begin
git checkout --quiet -b axle
echo 'Grease it.' > axle.md
git add .
git commit --quiet --message='Say how the axle is greased'
git checkout --quiet main
