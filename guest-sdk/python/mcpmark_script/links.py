"""`os.stat` where a symlink is followed.

The C library asks for the number of a file without saying whether symlinks are followed, and so
gets the link's own. Who compares two files by it, as `os.path.samefile` does, would be told wrongly.
"""

import os
import stat as modes


def install():
    """Has `os.stat` tell the number of what a link leads to."""
    of_system = os.stat

    def stat(path, *, dir_fd=None, follow_symlinks=True):
        if isinstance(path, int) or dir_fd is not None or not follow_symlinks:
            return of_system(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)
        found = of_system(path, follow_symlinks=False)
        if not modes.S_ISLNK(found.st_mode):
            return found
        # Says first what is wrong with a link that leads nowhere.
        of_system(path)
        return of_system(os.path.realpath(path))

    stat.__doc__ = of_system.__doc__
    stat.__module__ = of_system.__module__
    for able in (os.supports_fd, os.supports_dir_fd, os.supports_follow_symlinks):
        if of_system in able:
            able.add(stat)
    os.stat = stat
