#!/bin/sh
# An analysis in parts, as an array of Slurm jobs. CI runs it on one machine: `bash tools/slurm.sh make -C examples/parts slurm`.
#
#   livetime analyze /data/run.xtc --detector Cspad --with mean,std --plan plan.json --parts 64
#   sbatch --parsable --array=0-63 slurm.sh                       # prints JOB
#   sbatch --dependency=afterok:JOB --wrap "livetime analyze --plan plan.json --merge parts -o out"
#
# A part that failed, or was killed with its node, is named by the merge: `sbatch --array=17,23 slurm.sh` runs only those again. It
# does no harm to run a part twice: the same part has the same bytes, and a merge that finds others says so.
#SBATCH --job-name=livetime-parts
#SBATCH --cpus-per-task=4
#SBATCH --mem=4G
#SBATCH --requeue
exec livetime analyze --plan plan.json --part "$SLURM_ARRAY_TASK_ID" --workers "$SLURM_CPUS_PER_TASK" -o parts
