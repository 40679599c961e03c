import configparser
import tomllib
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FILESYSTEM_TEST_DIR"])


def settings():
    config = configparser.ConfigParser()
    config.read(ROOT / "app.ini", encoding="utf-8")
    project = tomllib.loads((ROOT / "app.toml").read_text(encoding="utf-8"))
    for section in config.sections():
        print(section, dict(config[section]))
    print(project)
    good = config.getint("net", "port") == project["net"]["port"]
    print("✓ ports agree" if good else "✗ ports agree")
    return good and project["made"].year == 2024


CHECKS = [settings]


def main():
    results = [check() for check in CHECKS]
    if all(results):
        print("🎉 all checks passed")
        sys.exit(0)
    print("💥 some checks failed")
    sys.exit(1)


if __name__ == "__main__":
    main()
