# Runs a command, the supervisor, and removes the directory SCRATCH once the standard input has ended.
#
# The host holds the other end of the standard input. It ends when the host closes it or dies.
"$@"
code=$?
# The host sees the end of the messages.
exec >&2
while read -r _; do :; done
rm -rf -- "$SCRATCH"
exit "$code"
