import fc from "fast-check";

// Runs are the same from day to day. To look for more, run the suite with other seeds:
// FC_SEED=$RANDOM npm test. A failure prints the seed that repeats it.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 1) });
