# SPDX-License-Identifier: Apache-2.0
"""A record of the time when link tables were in arithmetic code, and what its gateway read from it (links.csv)."""

import csv
import os
import pathlib
import re
import subprocess
import sys

import pytest

from hilgate import GatewayError, Record

OLD = pathlib.Path(__file__).parent / "old_record"
ROBOTS = ["red", "blue", "green"]
CONVERT = [sys.executable, "-m", "hilgate.convert_record"]


def hilgate(*arguments):
    return subprocess.run([os.environ["HILGATE"], "record", *map(str, arguments)], capture_output=True, text=True)


def test_the_tables_of_an_old_record_are_those_that_its_gateway_read(tmp_path):
    new = tmp_path / "new.mcap"
    subprocess.run([*CONVERT, OLD, new], check=True)
    done = hilgate("export", new, "-o", tmp_path / "tables")
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "tables/links.csv") as file:
        read = {(row["window"], row["from"], row["to"]): row for row in csv.DictReader(file)}
    with open(OLD / "links.csv") as file:
        expected = list(csv.DictReader(file))
    compared = 0
    for row in expected:
        sender, receiver = divmod(int(row["link"]), len(ROBOTS))
        if sender == receiver:
            continue
        found = read.get((row["window"], ROBOTS[sender], ROBOTS[receiver]))
        if found is None:
            continue  # a link that is as in the window before
        compared += 1
        assert float(found["delay_us"]) == int(row["delay_ns"]) / 1000, row
        assert found["reachable"] == row["reachable"], row
        assert float(found["rssi_dbm"]) == float(row["rssi_dbm"]), row
        assert float(found["snr_db"]) == float(row["snr_db"]), row
    assert compared >= 20


def test_an_old_record_is_refused_with_the_way_to_convert_it():
    done = hilgate("show", OLD)
    assert done.returncode != 0
    assert "hilgate.convert_record OLD NEW" in done.stderr


def test_what_needs_no_conversion_is_refused(tmp_path):
    subprocess.run([*CONVERT, OLD, tmp_path / "new.mcap"], check=True)
    again = subprocess.run([*CONVERT, tmp_path / "new.mcap", tmp_path / "again.mcap"], capture_output=True, text=True)
    assert again.returncode == 1
    assert again.stderr.strip().endswith("has no link tables in arithmetic code; it needs no conversion")
    assert not (tmp_path / "again.mcap").exists()
    (tmp_path / "text").write_text("no record at all")
    wrong = subprocess.run([*CONVERT, tmp_path / "text", tmp_path / "again.mcap"], capture_output=True, text=True)
    assert wrong.returncode == 1 and wrong.stderr.strip().endswith("is no MCAP file")


def test_the_package_reads_a_record(tmp_path):
    run = tmp_path / "runs/old-20261123T024100Z"
    run.mkdir(parents=True)
    subprocess.run([*CONVERT, OLD, run / "run.mcap"], check=True)
    document = pathlib.Path(__file__).resolve().parents[2] / "docs/how-to/python.md"
    example = re.findall(r"```python\n(.*?)```", document.read_text(), re.DOTALL)[-1]
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2
    record = Record(run)
    assert {row["from"] for row in record.table("links")} == set(ROBOTS)
    with pytest.raises(KeyError, match="has no table 'link'; it has: .*links"):
        record.table("link")
    with pytest.raises(GatewayError, match="there is no record in"):
        Record.newest(tmp_path)
    with pytest.raises(GatewayError, match="hilgate record show: "):
        Record(tmp_path / "none").summary
