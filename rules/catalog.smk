"""The catalog: nested sizes of selected, corrected, deduplicated works in a fixed order.

Requires: a verified snapshot.
Makes: results/{track}/catalog/ with {size}.parquet, vocabulary.json, funnel.csv, profile.csv, and
audit_sample.csv with its rubric for people who judge records.
May go wrong: fewer eligible works than the largest size stops the run with both numbers.
"""


rule build_catalog:
    input:
        verified=rules.verify_snapshot.output.report,
        seal=rules.verify_snapshot.output.seal,
    output:
        books=expand(f"{RESULTS}/catalog/{{size}}.parquet", size=SIZES),
        vocabulary=f"{RESULTS}/catalog/vocabulary.json",
        funnel=f"{RESULTS}/catalog/funnel.csv",
        profile=f"{RESULTS}/catalog/profile.csv",
        audit=f"{RESULTS}/catalog/audit_sample.csv",
        rubric=f"{RESULTS}/catalog/audit_rubric.md",
    log:
        f"{RESULTS}/logs/build_catalog.log",
    benchmark:
        f"{RESULTS}/benchmarks/build_catalog.tsv"
    conda:
        ENVIRONMENT
    params:
        library=library("wikidata", "catalog"),
        snapshot=SNAPSHOT,
        out=subpath(output.vocabulary, parent=True),
        sizes=",".join(str(size) for size in config["catalog"]["sizes"]),
        seed=config["catalog"]["seed"],
        year_min=config["catalog"]["year_min"],
        year_max=config["catalog"]["year_max"],
        fewer="--allow-fewer" if config["catalog"]["allow_fewer"] else "",
    shell:
        "tau-rec-books build-catalog --snapshot {params.snapshot:q} --out {params.out:q}"
        " --sizes {params.sizes:q} --seed {params.seed:q} --year-min={params.year_min}"
        " --year-max={params.year_max} {params.fewer} > {log:q}"
