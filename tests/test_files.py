"""Files that appear whole or not at all."""

import os
import stat

import numpy as np
import pytest

from skip_absorption.errors import InvalidInput
from skip_absorption.files import whole_file
from skip_absorption.networks._files import write_file


def test_a_file_appears_at_the_end_or_stays_as_it_was(tmp_path):
    target = tmp_path / "file"
    with whole_file(target) as partial:
        partial.write_text("one", encoding="utf-8")
        assert not target.exists()
    assert target.read_text(encoding="utf-8") == "one"
    with pytest.raises(RuntimeError), whole_file(target) as partial:
        partial.write_text("two", encoding="utf-8")
        raise RuntimeError
    assert target.read_text(encoding="utf-8") == "one"
    assert list(tmp_path.iterdir()) == [target]


def test_a_pipe_is_not_replaced(tmp_path):
    pipe = tmp_path / "pipe.npz"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="no file stands there"), whole_file(pipe):
        raise AssertionError
    with pytest.raises(InvalidInput, match=r"the output file must be writable; got .*no file stands there"):
        write_file(pipe, {"w_up": np.eye(2)}, {})
    assert stat.S_ISFIFO(pipe.stat().st_mode)
