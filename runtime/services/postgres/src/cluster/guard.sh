# Runs a command, the supervisor, and removes the directory SCRATCH once the standard input has ended.
#
# The host holds the other end of the standard input. It ends when the host closes it or dies. With CGROUP, the command
# runs in that group, which is removed when the command has ended.
if [ -n "$CGROUP" ]; then
    sh -c 'echo "$$" > "$CGROUP/cgroup.procs" && exec "$@"' sh "$@"
else
    "$@"
fi
code=$?
if [ -n "$CGROUP" ]; then
    # In version 2. Without namespaces, a process may be left.
    if [ -f "$CGROUP/cgroup.kill" ]; then echo 1 > "$CGROUP/cgroup.kill"; fi
    for pause in 0 0.1 0.5 1; do
        sleep "$pause"
        if rmdir "$CGROUP" 2>/dev/null; then break; fi
    done
fi
: > "$SCRATCH/status/ended"
while read -r _; do :; done
rm -rf -- "$SCRATCH"
exit "$code"
