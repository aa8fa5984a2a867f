import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { median } from "./figures.ts";
import { benchSettings } from "./settings.ts";

/** A tree of files that holds the service. */
export interface Tree {
  name: string;
  root: string;
  /** The tree's own, since settings change their names. */
  settings: typeof benchSettings;
}

/** The tree that this file belongs to. */
export const here: Tree = {
  name: "here",
  root: fileURLToPath(new URL("..", import.meta.url)),
  settings: benchSettings,
};

/** The tree of a commit with its own packages, in a temporary folder that stays for the next time. */
async function checkOut(commit: string): Promise<Tree> {
  const run = (cwd: string, command: string, ...options: string[]) =>
    execFileSync(command, options, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
  const hash = run(here.root, "git", "rev-parse", "--verify", "--short", `${commit}^{commit}`);
  const root = join(tmpdir(), `duba-bench-${hash}`);
  if (!existsSync(root)) {
    console.log(`Installing ${hash} in ${root}`);
    const begun = mkdtempSync(`${root}-`);
    run(here.root, "git", "archive", `--output=${begun}.tar`, hash);
    run(begun, "tar", "-xf", `${begun}.tar`);
    run(begun, "npm", "ci", "--no-audit", "--no-fund");
    // Only a complete tree has the name that the next run looks for.
    renameSync(begun, root);
  }
  const { benchSettings: settings } = await import(pathToFileURL(join(root, "bench", "settings.ts")).href);
  return { name: hash, root, settings };
}

/** The figures that one tree showed in one round. */
type Round<Figure extends string> = Record<Figure, number>;

/** A new tree and an old one, measured in turns. The tree that begins changes with each round. */
export class Trees<Figure extends string> {
  readonly both: readonly [Tree, Tree];
  readonly #seen = new Map<string, [Round<Figure>[], Round<Figure>[]]>();

  private constructor(both: readonly [Tree, Tree]) {
    this.both = both;
  }

  static async of<Figure extends string>(commit: string): Promise<Trees<Figure>> {
    return new Trees<Figure>([here, await checkOut(commit)]);
  }

  /** `measure` returns the figures of one tree, by subject. */
  async round(number: number, measure: (at: 0 | 1) => Promise<Map<string, Round<Figure>>>): Promise<void> {
    for (const at of number % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      for (const [subject, figures] of await measure(at)) {
        const seen = this.#seen.get(subject) ?? [[], []];
        seen[at].push(figures);
        this.#seen.set(subject, seen);
      }
    }
  }

  /** For each subject and figure: the medians of both trees, and the ratios of the rounds. */
  rows(digits: Record<Figure, number>): string[][] {
    const [now, old] = this.both;
    const rows = [["", "", now.name, old.name, `${now.name}/${old.name}`, "least", "most"]];
    for (const [subject, [news, olds]] of this.#seen)
      for (const [figure, places] of Object.entries(digits) as [Figure, number][]) {
        const of = (rounds: Round<Figure>[]) => rounds.map((round) => round[figure]);
        const ratios = of(news).map((value, at) => value / of(olds)[at]!);
        const medians = [of(news), of(olds)].map((values) => median(values).toFixed(places));
        rows.push([
          subject,
          figure,
          ...medians,
          ...[median(ratios), Math.min(...ratios), Math.max(...ratios)].map(ratio),
        ]);
      }
    return rows;
  }
}

const ratio = (value: number) => value.toFixed(3);
