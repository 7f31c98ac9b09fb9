"""The release: one folder that anyone can verify with nothing else at hand.

Requires: catalogs, tasks, their validation, traces, tables, and the snapshot's manifest.
Makes: results/{track}/release/ with SHA256SUMS, and results/{track}/verification.json, the report of
`tau-rec-books verify`.
May go wrong: a missing product stops the cut; a difference found by the verification stops the run, and its
report stays in results/{track}/logs/. An older release is replaced only when the new one is whole.
"""


rule cut_release:
    input:
        verified=rules.verify_snapshot.output.report,
        books=rules.build_catalog.output,
        tasks=rules.make_tasks.output,
        valid=rules.validate_tasks.output,
        traces=rules.merge_trials.output,
        statistics=rules.compute_statistics.output,
        schemas=sorted(str(path) for path in Path("workflow/schemas").glob("*.json")),
        licences=["LICENSE", "LICENSE-DATA"],
        settings=f"{RESULTS}/settings/release.json",
    output:
        update(f"{RESULTS}/release/SHA256SUMS"),
    log:
        f"{RESULTS}/logs/cut_release.log",
    benchmark:
        f"{RESULTS}/benchmarks/cut_release.tsv"
    conda:
        ENVIRONMENT
    params:
        library=library("release", "trial/data"),
        results=subpath(output[0], ancestor=2),
        snapshot=SNAPSHOT,
    shell:
        "tau-rec-books cut-release --results {params.results:q} --snapshot {params.snapshot:q}"
        " --settings {input.settings:q} --licence LICENSE --licence LICENSE-DATA > {log:q}"


rule verify_release:
    input:
        sums=rules.cut_release.output[0],
    output:
        f"{RESULTS}/verification.json",
    log:
        lines=f"{RESULTS}/logs/verify_release.log",
        report=f"{RESULTS}/logs/verify_release.json",
    benchmark:
        f"{RESULTS}/benchmarks/verify_release.tsv"
    conda:
        ENVIRONMENT
    params:
        library=library("release", "tasks/validation", "trial", "statistics"),
        release=subpath(input.sums, parent=True),
    shell:
        "tau-rec-books verify {params.release:q} --report {log.report:q} > {log.lines:q}"
        " && cp {log.report:q} {output:q}"
