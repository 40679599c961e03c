# Builds the root directory of a server, makes it the root of this process, and runs the script in the first argument.
#
# This is the first process of its own mount, network, IPC and PID namespaces. Of the host, the new root has only the
# programs and libraries of the system and of PostgreSQL, which are read-only, four devices, and the directories run and
# status of SCRATCH.
#
# Variables, besides those that the script reads:
#   SCRATCH   directory of the host with the directories run, room and status
#   DATA      data directory on the host
#   WAY       overlay or copy: the server gets a private copy of DATA; direct: it works in DATA itself
#   MARKS     further options of the overlay mount
#   BYTES     limit of the private file system
#   SERVER    user id of the server if this process runs as root, otherwise empty
#   SHOWN     directory of the installation that is shown at its own place, or empty
#   MOVED     directory of the installation that is shown at /tmp/postgresql, because its own place is hidden, or empty
#   HIDDEN    directories to hide, one a line, where they are below a directory that is shown
set -eu
umask 022

# Shows a directory of the host, with the mounts below it, at the same place of the new root or at another one.
show() {
    mkdir -p "$new${2-$1}"
    mount -n --rbind "$1" "$new${2-$1}"
}

new=$SCRATCH/room
mount -n -t tmpfs -o size=8m,mode=0755,nosuid,nodev mcpmark "$new"
cd "$new"
mkdir dev etc old proc tmp
mount -n -t tmpfs -o "size=$BYTES,mode=0755,nosuid,nodev" mcpmark tmp

links=
for name in usr bin sbin lib lib32 lib64 libx32 nix/store gnu/store; do
    if [ -L "/$name" ]; then
        links="$links /$name"
    elif [ -d "/$name" ]; then
        show "/$name"
    fi
done
# Names without spaces.
if [ -n "$links" ]; then cp -P $links .; fi
for dir in /etc/alternatives /var/cache/postgresql; do
    if [ -d "$dir" ]; then show "$dir"; fi
done
if [ -n "$SHOWN" ]; then show "$SHOWN"; fi
if [ -n "$MOVED" ]; then
    show "$MOVED" /tmp/postgresql
    BIN=/tmp/postgresql/${BIN#"$MOVED"/}
fi
# All of this is read-only. The kernel demands that the other restrictions of a mount are repeated. It may refuse to
# change the mounts of another user namespace; then the permissions of the server's user are the limit.
while read -r _ _ _ _ point options _; do
    case $point in *\\*) point=$(printf '%b' "$point") ;; esac
    case $point in
        "$new/tmp") ;;
        "$new"/*) mount -n -o "remount,bind,ro,${options#rw,}" "$point" 2>/dev/null || : ;;
    esac
done < /proc/self/mountinfo
saved=$IFS
set -f
IFS='
'
for hidden in $HIDDEN; do
    if [ -d "$new$hidden" ]; then mount -n -t tmpfs -o ro,size=4k,mode=0555 mcpmark "$new$hidden"; fi
done
IFS=$saved
set +f

if [ -f /etc/ld.so.cache ]; then cp /etc/ld.so.cache etc; fi
printf 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/tmp:/bin/sh\n' > etc/passwd
printf 'root:x:0:\nnogroup:x:65534:\n' > etc/group
printf 'passwd: files\ngroup: files\n' > etc/nsswitch.conf
for device in null zero random urandom; do
    : > "dev/$device"
    mount -n --bind "/dev/$device" "dev/$device"
done
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
mkdir -m 1777 tmp/shm
mkdir dev/shm
mount -n --bind tmp/shm dev/shm
# Some containers refuse this. A server does without.
mount -n -t proc proc proc 2>/dev/null || :

cd tmp
umask 077
mkdir run status tmp data
mount -n --bind "$SCRATCH/run" run
mount -n --bind "$SCRATCH/status" status
case $WAY in
    direct) mount -n --bind "$DATA" data ;;
    overlay)
        mkdir base upper work
        if [ -n "$SERVER" ]; then chown "$SERVER:$SERVER" upper; fi
        mount -n --bind "$DATA" base
        mount -n -t overlay -o "lowerdir=base,upperdir=upper,workdir=work$MARKS" mcpmark data
        # The overlay has its own reference to DATA. The server, which owns the files, must not reach them.
        umount -n base
        ;;
    copy) cp -a "$DATA/." data ;;
esac

cd "$new"
if pivot_root . old 2>/dev/null; then
    umount -n -l /old
    rmdir /old
    mount -n -o remount,bind,ro /
    exec sh -c "$1" sh
fi
# The root of an initial RAM disk cannot be replaced, but be covered. A server has no right to leave the directory.
rmdir old
mount -n -o remount,bind,ro .
mount -n --move . /
exec chroot . sh -c "$1" sh
