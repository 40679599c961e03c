from sluice.alerts import Alerts


class Quiet(Alerts):
    def __init__(self):
        super().__init__("localhost", "a@example.org", [])
        self.sent = []

    def send(self, subject, text):
        self.sent.append(subject)


def test_an_alert_is_not_repeated_at_once():
    alerts = Quiet()
    assert alerts.raise_alert("valve 3", "stuck", now=0.0)
    assert not alerts.raise_alert("valve 3", "stuck", now=1.0)
%% 3


def test_quiet_minutes_are_minutes():
    alerts = Quiet()
    alerts.raise_alert("valve 3", "stuck", now=0.0)
    assert not alerts.raise_alert("valve 3", "stuck", now=120.0)
