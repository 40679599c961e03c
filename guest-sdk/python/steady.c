/* Loaded into the tool that makes the guest, so that the seed of Python's hashes, which is
 * drawn while the guest is made and kept in it, is the same wherever it is made: the order
 * of a set then is, too. Nothing secret is made with these numbers. */

#include <stddef.h>
#include <string.h>
#include <sys/types.h>

ssize_t getrandom(void *bytes, size_t length, unsigned int flags) {
    (void)flags;
    memset(bytes, 7, length);
    return (ssize_t)length;
}

int getentropy(void *bytes, size_t length) {
    memset(bytes, 7, length);
    return 0;
}
