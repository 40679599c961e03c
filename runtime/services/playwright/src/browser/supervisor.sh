# Runs the MCP server and its browser until the standard input ends.
#
# This is the first process of its own mount, network, IPC and PID namespaces: when it exits, for whatever reason, the
# kernel kills all other processes and removes all mounts. The MCP messages of the server go through the standard output,
# which is a socket and so has both directions.
#
# Variables:
#   SCRATCH   directory of the host with the directories run, room and status
#   BYTES     limit of the private file system
#   PROCESSES limit of processes of the server's user
#   MEMORY    limit of the data of each process, in bytes
#   SERVER    user id of the server if this process runs as root, otherwise empty
#   NODE      program that runs the server
#   PACKAGES  directory node_modules with the package @playwright/mcp and the packages that it depends on
#   VISIBLE   further directories that must be visible at their own places, one a line
set -eu
umask 022

room=$SCRATCH/room
mount -n -t tmpfs -o "size=$BYTES,mode=0755,nosuid,nodev" mcpmark "$room"
cd "$room"
mkdir -p bin dev etc files lib lib64 mcp/node_modules old proc sbin tmp usr
# Programs and their libraries, without the data of the machine.
for dir in usr bin sbin lib lib64; do
    if [ -L "/$dir" ]; then
        rmdir "$dir" && cp -P "/$dir" "$dir"
    elif [ -d "/$dir" ]; then
        mount -n --rbind "/$dir" "$dir"
        mount -n -o remount,bind,ro "$dir"
    fi
done
saved=$IFS
set -f
IFS='
'
for visible in $VISIBLE; do
    mkdir -p ".$visible"
    mount -n --bind "$visible" ".$visible"
    mount -n -o remount,bind,ro ".$visible"
done
IFS=$saved
set +f
mount -n --bind "$PACKAGES" mcp/node_modules
mount -n -o remount,bind,ro mcp/node_modules
# Configuration of the machine that programs need.
for file in ld.so.cache ld.so.conf fonts alternatives; do
    if [ -f "/etc/$file" ]; then
        : > "etc/$file"
    elif [ -d "/etc/$file" ]; then
        mkdir "etc/$file"
    else
        continue
    fi
    mount -n --bind "/etc/$file" "etc/$file"
    mount -n -o remount,bind,ro "etc/$file"
done
printf 'nobody:x:65534:65534::/files:/bin/sh\n' > etc/passwd
printf 'nobody:x:65534:\n' > etc/group
printf 'hosts: files\n' > etc/nsswitch.conf
cp "$SCRATCH/etc/hosts" etc/hosts
mkdir etc/mcp
cp "$SCRATCH/etc/config.json" "$SCRATCH/etc/clock.js" "$SCRATCH/etc/forward.js" etc/mcp
for device in null zero full random urandom; do
    : > "dev/$device"
    mount -n --bind "/dev/$device" "dev/$device"
done
mkdir -m 1777 dev/shm
chmod 1777 tmp
mkdir run
mount -n --bind "$SCRATCH/run" run
mount -n -t proc -o nosuid,nodev,noexec proc proc
if [ -n "$SERVER" ]; then chown "$SERVER:$SERVER" files; fi
pivot_root . old
cd /
umount -n -l old
rmdir old
# Only these directories are writable.
for dir in dev/shm files tmp; do mount -n --bind "/$dir" "/$dir"; done
mount -n -o remount,bind,ro /
ip link set lo up
# The sites have the port of HTTP, and the server's user binds it.
echo 80 > /proc/sys/net/ipv4/ip_unprivileged_port_start

# Replaces the shell by a program with the rights, limits and environment of the server.
become() {
    set -- env -i PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 TZ=UTC HOME=/files TMPDIR=/tmp \
        XDG_CONFIG_HOME=/tmp/config XDG_CACHE_HOME=/tmp/cache PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 "$@"
    set -- prlimit --core=0 --fsize="$BYTES" --data="$MEMORY" --nproc="$PROCESSES" "$@"
    if [ -n "$SERVER" ]; then
        set -- --reuid="$SERVER" --regid="$SERVER" --clear-groups -- "$@"
    else
        set -- -- "$@"
    fi
    exec setpriv --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all "$@"
}
cd /files
trap 'exit 0' TERM
# The end of the server is the end of its session.
(
    (become "$NODE" --require /etc/mcp/forward.js /mcp/node_modules/@playwright/mcp/cli.js \
        --config /etc/mcp/config.json) <&1 || :
    kill -TERM 1
) &
exec >&2
while read -r _; do :; done
