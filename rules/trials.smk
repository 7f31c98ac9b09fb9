"""Trials: every scripted agent over every task, in shards.

Requires: the catalog of trials.size, its vocabulary, tasks.jsonl and the validator's report.
Makes: results/{track}/trials/ with plan.csv, shards/{agent}/{shard}.jsonl, traces/{agent}.jsonl and
trials.csv, one row per planned trial.
May go wrong: a killed job resumes from results/{track}/journal/, which no rule declares, and repeats no
finished trial; the merge refuses a missing, repeated or unplanned trial.
"""


rule plan_trials:
    input:
        tasks=rules.make_tasks.output.tasks,
        valid=rules.validate_tasks.output,
    output:
        f"{RESULTS}/trials/plan.csv",
    log:
        f"{RESULTS}/logs/plan_trials.log",
    benchmark:
        f"{RESULTS}/benchmarks/plan_trials.tsv"
    conda:
        ENVIRONMENT
    params:
        library=library("trial"),
        track=config["track"],
        agents=" ".join(f"--agent {agent}" for agent in config["trials"]["agents"]),
        interface=config["trials"]["interface"],
        size=size_name(config["trials"]["size"]),
        shard_size=config["trials"]["shard_size"],
        protocol_version=config["trials"]["protocol_version"],
    shell:
        "tau-rec-books plan-trials --tasks {input.tasks:q} --track {params.track:q} {params.agents}"
        " --interface {params.interface} --size {params.size} --shard-size {params.shard_size}"
        " --protocol-version {params.protocol_version} --out {output:q} > {log:q}"


rule run_trials:
    input:
        plan=rules.plan_trials.output,
        tasks=rules.make_tasks.output.tasks,
        answers=rules.make_tasks.output.answers,
        books=f"{RESULTS}/catalog/{size_name(config['trials']['size'])}.parquet",
        vocabulary=rules.build_catalog.output.vocabulary,
    output:
        f"{RESULTS}/trials/shards/{{agent}}/{{shard}}.jsonl",
    log:
        f"{RESULTS}/logs/run_trials/{{agent}}-{{shard}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/run_trials/{{agent}}-{{shard}}.tsv"
    conda:
        ENVIRONMENT
    params:
        library=library("trial", "agents"),
        catalog=subpath(input.vocabulary, parent=True),
        tasks=subpath(input.tasks, parent=True),
        journal=f"{RESULTS}/journal",
        caps=" ".join(
            f"--{key.replace('_', '-')} {config['trials'][key]}"
            for key in (
                "agent_turns",
                "agent_seconds",
                "tool_calls_per_turn",
                "tool_calls_beyond",
            )
        ),
    shell:
        "tau-rec-books run-trials --plan {input.plan:q} --agent {wildcards.agent} --shard {wildcards.shard}"
        " --catalog {params.catalog:q} --tasks {params.tasks:q} --journal {params.journal:q}"
        " {params.caps} --out {output:q} > {log:q}"


rule merge_trials:
    input:
        plan=rules.plan_trials.output,
        shards=expand(
            f"{RESULTS}/trials/shards/{{agent}}/{{shard}}.jsonl",
            agent=config["trials"]["agents"],
            shard=shards(),
        ),
    output:
        index=f"{RESULTS}/trials/trials.csv",
        traces=expand(
            f"{RESULTS}/trials/traces/{{agent}}.jsonl",
            agent=config["trials"]["agents"],
        ),
    log:
        f"{RESULTS}/logs/merge_trials.log",
    benchmark:
        f"{RESULTS}/benchmarks/merge_trials.tsv"
    conda:
        ENVIRONMENT
    params:
        library=library("trial"),
        shards=subpath(input[1], ancestor=2),
        out=subpath(output.index, parent=True),
    shell:
        "tau-rec-books merge-trials --plan {input.plan:q} --shards {params.shards:q} --out {params.out:q} > {log:q}"
