from skip_absorption.latex import checkpoints

from .conftest import make_audit


def test_audited_blocks_by_model() -> None:
    table = checkpoints.audit_table(checkpoints.real(make_audit()["checkpoint_audit"]))
    assert r"\multicolumn{10}{@{}l}{\emph{an\_encoder}} \\" in table
    row = r"0 & 384 & 1536 & GELU & \cref{ext:biases} & no & 1537 & 0.585--0.731 & 66--384 & 2.5 \\"
    assert row in table
    assert r"1 & 384 & 1536 & GELU & \cref{ext:biases} & \failed{unknown} & -- & -- & -- & 2.5 \\" in table
    assert r"SwiGLU & \cref{prop:gated} & no & -- & -- & none & 2.5" in table
    assert "generated" not in table


def test_a_rejected_certificate_is_red() -> None:
    table = make_audit()["checkpoint_audit"]
    table["checked"] = False
    assert r"\failed{1537}" in checkpoints.audit_table(table)


def test_without_the_papers_labels() -> None:
    table = checkpoints.audit_table(checkpoints.real(make_audit()["checkpoint_audit"]), references=False)
    assert " & X1b & " in table
    assert "$k^*$" in table
    assert "cref" not in table


def test_blocks_that_did_not_run() -> None:
    table = checkpoints.audit_table(checkpoints.real(make_audit(ran=False)["checkpoint_audit"]))
    assert table.count(r"\notrun{}") == 2
    assert "nan" not in table.lower()


def test_families_count_the_known_answers() -> None:
    results = make_audit()
    table = checkpoints.family_table(results["checkpoint_audit"])
    assert r"BERT, MiniLM & GELU & yes & after & \cref{ext:biases} & 1/1 \\" in table
    assert r"LLaMA, Mistral, DeepSeek & SwiGLU & no & before & \cref{prop:gated} & 1/1 \\" in table
    results["checkpoint_audit"].loc[results["checkpoint_audit"]["family"] == "llama", "verdict"] = "UNKNOWN"
    assert r"\failed{0/1}" in checkpoints.family_table(results["checkpoint_audit"])


def test_the_same_names_without_a_run() -> None:
    ran, absent = (checkpoints.audit_macros(*make_audit(ran=ran).values()) for ran in (True, False))
    assert ran.keys() == absent.keys()
    assert (ran["ifResAuditRun"], absent["ifResAuditRun"]) == ("true", "false")
    assert (ran["ResAuditModels"], ran["ResAuditBlocks"], ran["ResAuditSmall"]) == ("2", "3", "2")
    assert (ran["ResAuditChecked"], ran["ResAuditCertified"], ran["ResAuditUnknown"]) == ("1", "1", "1")
    assert (ran["ResAuditTrainedLeast"], ran["ResAuditRandomLeast"], ran["ResAuditDraws"]) == (
        "0.59",
        "0.996",
        "2",
    )
    assert (ran["ResAuditNearer"], absent["ResAuditNearer"]) == ("3", "0")
    assert absent["ResAuditTrainedLeast"] == absent["ResAuditLeastExtra"] == r"\notrun{}"


def test_counts_tell_what_is_proved_from_what_is_open() -> None:
    results = make_audit()
    audit, margins = results["checkpoint_audit"], results["checkpoint_margin"]
    macros = checkpoints.audit_macros(audit, margins)
    assert (macros["ResAuditNotAbsorbable"], macros["ResAuditBounded"]) == ("2", "1")
    assert macros["ResAuditTrainedSet"] == "0.70"
    audit["checked"] = False
    audit["extra_upper"] = audit["extra_lower"]
    margins.loc[(margins["weights"] == "trained") & (margins["number"] == 1), "relaxed"] = 0.9975
    macros = checkpoints.audit_macros(audit, margins)
    assert (macros["ResAuditCertified"], macros["ResAuditChecked"]) == ("1", "0")
    assert (macros["ResAuditBounded"], macros["ResAuditNearer"]) == ("0", "2")
