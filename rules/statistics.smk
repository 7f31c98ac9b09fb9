"""Statistics: pass^k per agent, condition and tier, NVR families apart.

Requires: results/{track}/trials/trials.csv, one row per planned trial.
Makes: results/{track}/statistics/pass_hat_k.csv.
May go wrong: nothing a user can cause; a cell with pending trials says "incomplete" and gives bounds.
"""


rule compute_statistics:
    input:
        trials=f"{RESULTS}/trials/trials.csv",
        tasks=rules.make_tasks.output.tasks,
    output:
        f"{RESULTS}/statistics/pass_hat_k.csv",
    log:
        f"{RESULTS}/logs/compute_statistics.log",
    benchmark:
        f"{RESULTS}/benchmarks/compute_statistics.tsv"
    conda:
        ENVIRONMENT
    params:
        library=library("statistics"),
        ks=" ".join(f"--pass-k {k}" for k in config["statistics"]["pass_k"]),
    shell:
        "tau-rec-books compute-statistics --trials {input.trials:q} --tasks {input.tasks:q}"
        " {params.ks} --out {output:q} > {log:q}"
