"""Task families: requests whose requirements are revealed at once, on request or never.

Requires: the catalogs and their vocabulary.
Makes: results/{track}/tasks/ with families.jsonl, tasks.jsonl, answers.jsonl, draws.csv, summary.json, and
validation.json, the report of the independent validator.
May go wrong: counts that the catalog cannot give stop the run with the rule that failed most. When a check of
the validator fails, the run stops and the report stays in results/{track}/logs/validate_tasks.json.
"""


rule make_tasks:
    input:
        books=rules.build_catalog.output.books,
        vocabulary=rules.build_catalog.output.vocabulary,
        library=library("catalog", "tasks"),
    output:
        families=f"{RESULTS}/tasks/families.jsonl",
        tasks=f"{RESULTS}/tasks/tasks.jsonl",
        answers=f"{RESULTS}/tasks/answers.jsonl",
        draws=f"{RESULTS}/tasks/draws.csv",
        summary=f"{RESULTS}/tasks/summary.json",
    log:
        f"{RESULTS}/logs/make_tasks.log",
    benchmark:
        f"{RESULTS}/benchmarks/make_tasks.tsv"
    conda:
        ENVIRONMENT
    params:
        catalog=f"{RESULTS}/catalog",
        out=f"{RESULTS}/tasks",
        sizes=",".join(str(size) for size in config["catalog"]["sizes"]),
        settings=section("tasks"),
    shell:
        "tau-rec-books make-tasks --catalog {params.catalog:q} --sizes {params.sizes:q}"
        " --settings {params.settings:q} --out {params.out:q} > {log:q}"


rule validate_tasks:
    input:
        books=rules.build_catalog.output.books,
        vocabulary=rules.build_catalog.output.vocabulary,
        families=rules.make_tasks.output.families,
        tasks=rules.make_tasks.output.tasks,
        answers=rules.make_tasks.output.answers,
        library=library("tasks/validation"),
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
        catalog=f"{RESULTS}/catalog",
        tasks=f"{RESULTS}/tasks",
        sizes=",".join(str(size) for size in config["catalog"]["sizes"]),
        settings=section("tasks"),
    shell:
        "tau-rec-books validate-tasks --catalog {params.catalog:q} --tasks {params.tasks:q}"
        " --sizes {params.sizes:q} --settings {params.settings:q} --schemas workflow/schemas"
        " --report {log.report:q} > {log.lines:q} && cp {log.report:q} {output:q}"
