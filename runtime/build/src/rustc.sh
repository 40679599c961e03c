#!/bin/sh
# Stands between cargo and rustc, so that a guest does not depend on where its sources lie:
# cargo derives `-C metadata` of a package outside the workspace's directory from the absolute path,
# and metadata decides the order of functions; source paths appear in panic messages.
# Diagnostics keep the real paths.
#
# It also compiles cheats and variants without optimisation, which takes a third of the time. Only `task check` plays
# them, and no bundle contains them. Their arithmetic stays that of a release: without optimisation, rustc would check
# for overflow. Their frames are larger, so their stack is too.
rustc=$1
shift
if [ -n "$CARGO_MANIFEST_DIR" ]; then
    package="$CARGO_PKG_NAME-$CARGO_PKG_VERSION"
    case $CARGO_MANIFEST_DIR in
        "$MCPMARK_CARGO_HOME"/*) local= ;;
        *) local=yes ;;
    esac
    crate= previous= is_for_certificates=
    for argument do
        shift
        case $previous in --crate-name) crate=$argument ;; esac
        case $local,$argument in yes,metadata=*) argument="metadata=$package-$crate" ;; esac
        # The path of the source, absolute or relative to the workspace. The package itself may be named `cheats`.
        directory=${argument%/*}
        case ${directory##*/},$argument in
            cheats,*.rs | variants,*.rs)
                case $CARGO_MANIFEST_DIR in *"/$directory" | "$directory") ;; *) is_for_certificates=yes ;; esac
                ;;
        esac
        previous=$argument
        set -- "$@" "$argument"
    done
    set -- "$@" --remap-path-scope object --remap-path-prefix "$CARGO_MANIFEST_DIR=/src/$package"
    if [ -n "$OUT_DIR" ]; then
        set -- "$@" --remap-path-prefix "$OUT_DIR=/out/$package"
    fi
    set -- "$@" --remap-path-prefix "$MCPMARK_LIBRARY_SOURCE=/rustc/$MCPMARK_RUSTC_COMMIT"
    if [ -n "$is_for_certificates" ]; then
        set -- "$@" -Copt-level=0 -Cdebug-assertions=off -Coverflow-checks=off -Clink-arg=-zstack-size=1048576
    fi
fi
exec "$rustc" "$@"
