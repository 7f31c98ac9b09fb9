"""Task families: requests whose requirements are revealed at once, on request or never.

Requires: the catalogs and their vocabulary.
Makes: results/{track}/tasks/ with families.jsonl, tasks.jsonl, answers.jsonl, draws.csv, summary.json,
overlap.json (what a set shares with those of earlier published seeds, which it stays clear of), and
validation.json, the report of the independent validator.
May go wrong: counts that the catalog cannot give stop the run with the rule that failed most. When a check of
the validator fails, the run stops and the report stays in results/{track}/logs/validate_tasks.json.
"""


rule write_settings:
    output:
        f"{RESULTS}/settings/{{section}}.json",
    log:
        f"{RESULTS}/logs/write_settings/{{section}}.log",
    conda:
        ENVIRONMENT
    params:
        library=library(),
        settings=lambda wildcards: (
            released_settings()
            if wildcards.section == "release"
            else json.dumps(config[wildcards.section])
        ),
    shell:
        "tau-rec-books write-settings --settings {params.settings:q} --out {output:q} > {log:q}"


rule make_tasks:
    input:
        books=rules.build_catalog.output.books,
        vocabulary=rules.build_catalog.output.vocabulary,
        settings=f"{RESULTS}/settings/tasks.json",
    output:
        families=f"{RESULTS}/tasks/families.jsonl",
        tasks=f"{RESULTS}/tasks/tasks.jsonl",
        answers=f"{RESULTS}/tasks/answers.jsonl",
        draws=f"{RESULTS}/tasks/draws.csv",
        summary=f"{RESULTS}/tasks/summary.json",
        overlap=f"{RESULTS}/tasks/overlap.json",
        audit=f"{RESULTS}/tasks/audit_sample.csv",
        rubric=f"{RESULTS}/tasks/audit_rubric.md",
    log:
        f"{RESULTS}/logs/make_tasks.log",
    benchmark:
        f"{RESULTS}/benchmarks/make_tasks.tsv"
    conda:
        ENVIRONMENT
    params:
        library=library("catalog", "tasks"),
        catalog=subpath(input.vocabulary, parent=True),
        out=subpath(output.tasks, parent=True),
        sizes=",".join(str(size) for size in config["catalog"]["sizes"]),
    shell:
        "tau-rec-books make-tasks --catalog {params.catalog:q} --sizes {params.sizes:q}"
        " --settings {input.settings:q} --out {params.out:q} > {log:q}"


rule validate_tasks:
    input:
        books=rules.build_catalog.output.books,
        vocabulary=rules.build_catalog.output.vocabulary,
        families=rules.make_tasks.output.families,
        tasks=rules.make_tasks.output.tasks,
        answers=rules.make_tasks.output.answers,
        settings=f"{RESULTS}/settings/tasks.json",
    output:
        f"{RESULTS}/tasks/validation.json",
    log:
        lines=f"{RESULTS}/logs/validate_tasks.log",
        report=f"{RESULTS}/logs/validate_tasks.json",
    benchmark:
        f"{RESULTS}/benchmarks/validate_tasks.tsv"
    conda:
        ENVIRONMENT
    params:
        library=library("tasks/validation"),
        catalog=subpath(input.vocabulary, parent=True),
        tasks=subpath(input.tasks, parent=True),
        sizes=",".join(str(size) for size in config["catalog"]["sizes"]),
        fewer="--allow-fewer" if config["catalog"]["allow_fewer"] else "",
    shell:
        "tau-rec-books validate-tasks --catalog {params.catalog:q} --tasks {params.tasks:q}"
        " --sizes {params.sizes:q} {params.fewer} --settings {input.settings:q} --schemas workflow/schemas"
        " --report {log.report:q} > {log.lines:q} && cp {log.report:q} {output:q}"
