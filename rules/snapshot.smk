"""Snapshots: frozen query responses, checked before anything reads them.

Requires: snapshots/{id}/ with queries/, responses/ and snapshot.json.
Makes: results/{track}/snapshot.json, the report of the check, which is an input of the catalog.
May go wrong: a changed, missing or extra file stops the run with its name. No rule of the default graph
writes below snapshots/; `refresh_snapshot` takes a new one from a query service, `synthetic_snapshot` makes
the bundled one again under results/ and compares the bytes.
"""


rule verify_snapshot:
    input:
        manifest=f"{SNAPSHOT}/snapshot.json",
        responses=sorted(
            str(path) for path in Path(SNAPSHOT).glob("*/*") if path.is_file()
        ),
    output:
        # An earlier report stays when the snapshot does not verify.
        report=update(f"{RESULTS}/snapshot.json"),
        # Named after the snapshot's content, so that any change asks for a new check.
        seal=touch(f"{RESULTS}/logs/verified/{snapshot_state()}"),
    log:
        f"{RESULTS}/logs/verify_snapshot.log",
    benchmark:
        f"{RESULTS}/benchmarks/verify_snapshot.tsv"
    conda:
        ENVIRONMENT
    params:
        library=library("wikidata"),
        folder=subpath(input.manifest, parent=True),
    shell:
        "tau-rec-books verify-snapshot {params.folder:q} --report {output.report:q} > {log:q}"


rule make_world:
    output:
        "results/world/world.nt",
    log:
        "results/world/logs/make_world.log",
    benchmark:
        "results/world/benchmarks/make_world.tsv"
    conda:
        ENVIRONMENT
    params:
        library=library("wikidata", "world"),
    shell:
        "tau-rec-books make-world --out {output:q} > {log:q}"


rule synthetic_snapshot:
    input:
        world=rules.make_world.output,
    output:
        "results/world/synthetic_snapshot.json",
    log:
        "results/world/logs/synthetic_snapshot.log",
    benchmark:
        "results/world/benchmarks/synthetic_snapshot.tsv"
    conda:
        ENVIRONMENT
    params:
        library=library("wikidata", "world"),
        bundled="snapshots/books-synthetic-v1",
    shell:
        "tau-rec-books synthetic-snapshot {input.world:q} --folder results/world/snapshots"
        " --compare {params.bundled:q} --report {output:q} > {log:q}"


rule refresh_snapshot:
    output:
        f"{config['snapshot']['folder']}/{config['refresh']['id']}/snapshot.json",
    log:
        f"results/logs/refresh_snapshot/{config['refresh']['id']}.log",
    conda:
        ENVIRONMENT
    params:
        folder=subpath(output[0], ancestor=2),
        id=config["refresh"]["id"],
        endpoint=config["refresh"]["endpoint"],
        contact=config["refresh"]["contact"],
    shell:
        "tau-rec-books fetch --endpoint {params.endpoint:q} --contact {params.contact:q}"
        " --id {params.id:q} --folder {params.folder:q} > {log:q}"
