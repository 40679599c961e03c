import pytest

from sluice.valves import Valves, ValveStuck


class Line:
    def __init__(self, answers):
        self.answers = list(answers)

    def set(self, valve, is_open):
        return self.answers.pop(0)


def test_a_valve_opens(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    valves = Valves(Line([True]))
    valves.open(3)
    assert 3 in valves.open_since


def test_a_stuck_valve_is_told_of(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(ValveStuck):
        Valves(Line([False] * 9)).open(3)
%% 4


def test_a_valve_that_does_not_close_stays_on_the_list(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    valves = Valves(Line([True] + [False] * 9))
    valves.open(3)
    with pytest.raises(ValveStuck):
        valves.close(3)
    assert 3 in valves.open_since
