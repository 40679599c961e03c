"""Sends the requests of the library to the server of the test, without a change to the script."""

import os

import notion_client


def _redirect(start):
    def started(self, *args, **options):
        start(self, *args, base_url=os.environ["NOTION_SERVER"], **options)

    return started


notion_client.Client.__init__ = _redirect(notion_client.Client.__init__)
