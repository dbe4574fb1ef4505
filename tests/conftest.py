"""What is collected, and a table of the results of tests marked `case`, which ./reproduce stress writes."""

import csv
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

STRESS = Path(__file__).resolve().parent / "stress"
OPEN = "cannot run here"

collect_ignore = ["stress"]  # ./reproduce stress names it


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cases", metavar="FILE", help="write a table of the cases and their results")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "case(text): what a test in a hostile environment tries, in words")
    config.pluginmanager.register(Cases(config.getoption("cases")), "cases")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let a process have whole files, the tests on the one build as if they were a file, and these first."""
    items.sort(key=lambda item: "built" not in getattr(item, "fixturenames", ()))
    for item in items:
        built = "built" in getattr(item, "fixturenames", ())
        item.add_marker(pytest.mark.xdist_group("built" if built else item.path.as_posix()))
        if marker := item.get_closest_marker("case"):
            item.user_properties.append(("case", marker.args[0]))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """A file that is skipped as a whole is an error: nothing would count its tests."""
    report = yield
    if report.skipped:
        report.outcome, report.longrepr = "failed", f"{report.longrepr[2]}: no file may be skipped"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """A skip is a failure, but for what `cannot_run_here` of the stress tests says, which the table lists."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        told = str(report.longrepr[2]).removeprefix("Skipped: ")
        if item.path.parent != STRESS or not told.startswith(OPEN):
            report.outcome, report.longrepr = "failed", f"{told}: only the stress tests may leave a case open"
    return report


class Cases:
    """Collects results, of other processes too; a case passes if all its tests do."""

    def __init__(self, name: str | None) -> None:
        self.file = None if name is None else Path(name)
        self.found: dict[str, tuple[str, float]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        case = dict(report.user_properties).get("case")
        if case is None:
            return
        result, seconds = self.found.get(str(case), ("passed", 0.0))
        if report.failed:
            result = "FAILED"
        elif report.skipped and result == "passed":
            result = str(report.longrepr[2]).removeprefix("Skipped: ")
        self.found[str(case)] = result, seconds + report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.file is None:
            return
        terminalreporter.section("cases")
        for line in self.lines():
            terminalreporter.write_line(line)
        terminalreporter.write_line(self.count())
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["case", "result", "seconds"])
            writer.writerows([case, result, f"{s:.1f}"] for case, (result, s) in self.found.items())

    def lines(self) -> Iterator[str]:
        width = max(map(len, self.found), default=0)
        for case, (result, seconds) in self.found.items():
            yield f"{case:{width}}  {seconds:6.1f} s  {result}"

    def count(self) -> str:
        results = [result for result, _ in self.found.values()]
        passed, failed = results.count("passed"), results.count("FAILED")
        left = len(results) - passed - failed
        return f"{len(results)} cases: {passed} passed, {failed} failed, {left} {OPEN}"
