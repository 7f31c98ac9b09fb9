"""τ-Rec-Books: from a frozen snapshot of book facts to a release that anyone can rebuild and verify.

`snakemake --cores 2 all` builds and verifies the release; `snakemake --list` names the other targets.
"""

from snakemake.utils import min_version

min_version("9.17")


configfile: "config.yaml"


include: "rules/common.smk"
include: "rules/snapshot.smk"
include: "rules/catalog.smk"
include: "rules/tasks.smk"
include: "rules/trials.smk"
include: "rules/statistics.smk"
include: "rules/release.smk"


localrules:
    all,
    catalog,
    tasks,
    trials,
    statistics,
    write_settings,
    plan_trials,
    compute_statistics,


rule all:
    default_target: True
    input:
        f"{RESULTS}/verification.json",


rule catalog:
    input:
        rules.build_catalog.output,


rule tasks:
    input:
        f"{RESULTS}/tasks/validation.json",


rule trials:
    input:
        f"{RESULTS}/trials/trials.csv",


rule statistics:
    input:
        rules.compute_statistics.output,
