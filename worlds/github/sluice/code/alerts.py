"""Tells people what the controller cannot put right by itself."""

import smtplib
from email.message import EmailMessage

QUIET_MINUTES = {{quiet_minutes}}
%% 2
REPEAT_LIMIT = {{repeat_limit}}
%% 1


class Alerts:
    def __init__(self, host: str, sender: str, recipients: list[str]) -> None:
        self.host = host
        self.sender = sender
        self.recipients = recipients
        self.last: dict[str, float] = {}
%% 2
        self.count: dict[str, int] = {}
%% 1

    def raise_alert(self, key: str, text: str, now: float) -> bool:
        """Sends a message unless the same key was told of lately."""
%% 1-2
        if key in self.last and now - self.last[key] < QUIET_MINUTES:
            return False
%% 3
        if key in self.last and now - self.last[key] < QUIET_MINUTES * 60:
            return False
%% 2
        self.count[key] = self.count.get(key, 0) + 1
        if self.count[key] > REPEAT_LIMIT:
            return False
%% 1
        self.last[key] = now
        self.send(f"sluice: {key}", text)
        return True
%% 2

    def settle(self, key: str) -> None:
        """The trouble is over: the next alert of this key is sent at once."""
        self.last.pop(key, None)
        self.count.pop(key, None)
%% 1

    def send(self, subject: str, text: str) -> None:
        message = EmailMessage()
        message["Subject"] = subject
        message["From"] = self.sender
        message["To"] = ", ".join(self.recipients)
        message.set_content(text)
        with smtplib.SMTP(self.host) as server:
            server.send_message(message)
