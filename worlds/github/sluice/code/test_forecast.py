from sluice.{{weather_module}} import parse


def test_rain_is_added_up():
    body = b'{"hours": [{"rain": 1.5, "celsius": 9}, {"rain": 0.5, "celsius": 7}]}'
    forecast = parse(body)
    assert (forecast.rain_mm, forecast.min_celsius) == (2.0, 7)
%% 2


def test_an_hour_without_rain_may_say_nothing():
    body = b'{"hours": [{"rain": null, "celsius": 9}, {"celsius": 7}]}'
    assert parse(body).rain_mm == 0.0
