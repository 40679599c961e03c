from datetime import datetime

from sluice.crops import Crop
from sluice.schedule import Run, next_slot, plan
%% 2
from sluice.schedule import overlaps
%% 4
from sluice.schedule import queue
%% 1

CROP = Crop("test", low=0.3, high=0.5, max_minutes=10, rest_hours=8)
MORNING = datetime(2024, 5, 1, 6, 30)


def test_dry_soil_is_watered():
    run = plan("a", CROP, 0.2, MORNING)
    assert run is not None and run.seconds == 360


def test_wet_soil_is_left_alone():
    assert plan("a", CROP, 0.55, MORNING) is None
%% 2


def test_soil_between_the_marks_is_left_alone():
    assert plan("a", CROP, 0.4, MORNING) is None


def test_runs_overlap():
    one = Run("a", MORNING, 600)
    assert overlaps(one, Run("b", MORNING, 60))
%% 1


def test_slots_are_in_the_morning():
    assert next_slot(MORNING) == MORNING
%% 4


def test_the_pump_serves_one_zone_at_a_time():
    first, second = queue([Run("a", MORNING, 60), Run("b", MORNING, 600)])
    assert (first.zone, second.start) == ("b", first.end)
