from sluice.moisture import Probe, Zone


def test_calibration():
    assert Probe(dry=200, wet=600).moisture(400) == 0.5
%% 4


def test_values_stay_between_0_and_1():
    probe = Probe(dry=200, wet=600)
    assert (probe.moisture(100), probe.moisture(700)) == (0.0, 1.0)
%% 1


def test_the_first_value_is_taken_as_it_is():
    assert Zone([Probe(0, 100)]).feed([40]) == 0.4
%% 3


def test_one_odd_probe_is_left_out():
    zone = Zone([Probe(0, 100)] * 3)
    assert zone.feed([40, 40, 99]) == 0.4
%% 5


def test_a_dead_probe_counts_for_nothing():
    zone = Zone([Probe(0, 100)] * 3)
    assert zone.feed([40, 40, 0]) == 0.4
