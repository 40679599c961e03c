from pathlib import Path

import pytest

from sluice import crops

CROPS = Path(__file__).parent.parent / "crops"


@pytest.mark.parametrize("path", sorted(CROPS.glob("*.toml")), ids=lambda path: path.stem)
def test_every_crop_can_be_read(path):
    crop = crops.load(CROPS, path.stem)
    assert crop.low < crop.high
%% 2


def test_marks_must_ascend(tmp_path):
    (tmp_path / "x.toml").write_text("low = 0.5\nhigh = 0.4\nmax_minutes = 5\nrest_hours = 1\n")
    with pytest.raises(crops.BadCrop):
        crops.load(tmp_path, "x")
