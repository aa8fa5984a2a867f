import type { ChainError } from "../../audit/verify-chain.ts";
import { list, orNull, reference, time } from "../../declare/command/answer-schema.ts";
import { mend } from "../../declare/command/mend.ts";
import { formed } from "../../declare/command/read-texts.ts";
import { type Command, command, confirms } from "../../declare/command.ts";
import Type from "../../declare/schema/type.ts";
import { keyringPath, readKeyring } from "../../keyring/file.ts";
import { type Audited, inSnapshot } from "../../storage/audited.ts";
import type { Db } from "../../storage/tables.ts";
import { headText, keptHead } from "./kept-head.ts";
import type { LedgerDifference, LedgerRow } from "./reconcile.ts";

type AnyCommand = Pick<Command<never>, "kind" | "gives" | "givesNothing" | "records">;

export interface Room extends Audited {
  commands: () => Promise<readonly AnyCommand[]>;
  config: Parameters<typeof keyringPath>[0];
  progress: (done: number, all?: number) => void;
  /** Reads the verifications of the ledger, each with the entry that the trail should have for it. */
  ledgerRows(snapshot: Db): Promise<AsyncIterable<readonly LedgerRow[]>>;
  /** Returns a function that reads from a reference when its verification was made. */
  timesOfReferences(): Promise<(reference: string) => number | undefined>;
  /**
   * Compares the hourly and daily sums of the ledger with the ledger itself: how many were compared, and a sentence for
   * each that differs.
   */
  ledgerSums(snapshot: Db): Promise<AsyncIterable<{ compared: number; differences: readonly string[] }>>;
}

const verifyTrail = command({
  id: "audit.verify",
  title: "Check the trail",
  summary: "Check the whole audit trail.",
  description: "It lists each entry and seal that somebody changed, added, moved or removed after Duba sealed it.",
  onTerminal: "The exit code is 1 if there is one.",
  role: "viewer",
  kind: "read",
  counts: "batches",
  input: Type.Object({
    head: Type.Optional(
      formed(keptHead, {
        description: "A head that you copied earlier. The trail must still contain it.",
        placeholder: "batch:hash",
      }),
    ),
  }),
  answer: Type.Object({
    whole: Type.Boolean(),
    batches: Type.Integer(),
    removed_batches: Type.Integer(),
    entries: Type.Integer(),
    unsealed: Type.Integer(),
    head: orNull(Type.String()),
    anchor: orNull(Type.String()),
    anchor_at: orNull(time),
    anchor_file: Type.String(),
    anchors_made_at: Type.Array(time, { description: "When the service found no anchor, and made one." }),
    clock_went_back: Type.Array(Type.Object({ batch: Type.Integer(), minutes: Type.Integer() }), {
      description: "Batches whose seal is dated up to an hour before the seal in front of it: a clock was wrong.",
    }),
    problems: Type.Array(
      Type.Object({ batch: orNull(Type.Integer()), entry: orNull(Type.String()), what: Type.String() }),
    ),
  }),
  view: ({ whole, batches, removed_batches, entries, unsealed, head, problems, ...anchored }, { at }) => {
    const { anchor, anchor_at, anchor_file, anchors_made_at, clock_went_back } = anchored;
    const waiting = `${unsealed} ${unsealed === 1 ? "waits" : "wait"} to be sealed`;
    const read = `${counted(entries, "entry", "entries")} in ${counted(batches, "batch", "batches")} were read, and ${waiting}.`;
    const removed = `Retention has removed the entries of ${counted(removed_batches, "batch", "batches")}.`;
    const words = removed_batches === 0 ? read : `${read} ${removed}`;
    const verdict = `The audit trail has ${counted(problems.length, "problem", "problems")}.`;
    return [
      ...problems.map(problemText),
      whole ? `The audit trail is whole. ${words}` : { problem: verdict, note: words },
      ...(head === null ? [] : [{ note: `Head: ${head}` }]),
      {
        note:
          anchor === null
            ? `The anchor file ${anchor_file} does not exist.${head === null ? "" : " If there was one, somebody removed it."}`
            : `Anchor: batch ${anchor.split(":")[0]}, of ${at(anchor_at)}`,
      },
      ...clock_went_back.map(({ batch, minutes }) => ({
        note: `A clock was wrong: batch ${batch} was sealed ${counted(minutes, "minute", "minutes")} before the batch in front of it.`,
      })),
      ...anchors_made_at.map((made) => ({
        note: `A new anchor was made at ${at(made)}, because there was none: nobody can tell whether an older state of the trail was put back before.`,
      })),
    ];
  },
  isWell: ({ whole }) => whole,
  guide: {
    heading: "What it checks:",
    items: [
      [
        "Entries and seals",
        "Duba seals each batch of entries within about a second, with a key of the key ring. " +
          "Each seal contains the hash of the previous seal.",
      ],
      [
        "The anchor",
        "The service writes the newest head to a file beside the key ring, once a minute and when it stops. " +
          "If the trail does not contain this head, somebody restored an older state. " +
          "If you did that on purpose, remove the file.",
      ],
      [
        "The end",
        "A person who can also write that file can hide the change. Copy the head of this answer to another " +
          "machine, and ask with it later: the trail must still contain it.",
      ],
      [
        "Confirmations",
        "What gives something away, and what nobody can undo, a person of the console confirms with a passkey. " +
          "The entry keeps what the passkey signed: the command, its input and the time. " +
          "It is a problem if the passkey did not sign this, if nobody registered it, or if such an entry of a " +
          "person has no confirmation.",
      ],
      [
        "Backdated",
        "It is a problem if an entry is dated minutes before Duba sealed the previous batch. " +
          "Where the seals themselves go back by up to an hour, a clock was wrong: " +
          "the command says so, and counts from the earlier seal.",
      ],
      [
        "Not sealed",
        "The command counts entries that wait for a seal. It is a problem if an entry waits longer than 10 minutes.",
      ],
    ],
  },
  examples: [{}, { head: "57:aTESZZ3fQ1p-hm6AT0SRLsJ3HgUTpcd3nyzFwFNOCRU" }],
  run: async ({ head: kept }, { db, config, progress, commands }: Room) => {
    const [{ verify }, { anchorPath, readAnchor }, { signer }] = await Promise.all([
      import("../../audit/verify-chain.ts"),
      import("../../audit/anchor/anchor.ts"),
      import("../../audit/chain/seal.ts"),
    ]);
    const ringPath = keyringPath(config);
    const { audit: sealKey } = await readKeyring(ringPath);
    const anchor = await readAnchor(anchorPath(ringPath), signer(sealKey));
    const problems: ChainError[] = [];
    const found = (problem: ChainError) => void problems.push(problem);
    const confirmed = confirmedKinds(await commands());
    const pins = { ...(kept && { kept }), ...(anchor && { anchor }) };
    const trail = await verify(db, sealKey, { found, progress, confirmed, ...pins });
    return {
      whole: problems.length === 0,
      batches: trail.batches,
      removed_batches: trail.removedBatches,
      entries: trail.entries,
      unsealed: trail.unsealed,
      head: headText(trail.head),
      anchor: anchor ? `${anchor.batch}:${anchor.hash}` : null,
      anchor_at: anchor ? Date.parse(anchor.at) : null,
      anchor_file: anchorPath(ringPath),
      anchors_made_at: await timesOf(db, "audit.anchored"),
      clock_went_back: trail.clocksBack.map(({ batch, by }) => ({ batch, minutes: Math.round(by / 60_000) })),
      problems,
    };
  },
});

const reconcileLedger = command({
  id: "audit.reconcile",
  title: "Compare with the ledger",
  summary: "Compare the ledger with the audit trail, and with its sums of hours and days.",
  description:
    "It lists each finished verification that is missing on the ledger or on the trail, " +
    "or that differs between them, and each sum that is not what the attempts and charges of the ledger add up to.",
  onTerminal: "The exit code is 1 if there is one.",
  role: "viewer",
  kind: "read",
  store: "untimed",
  answer: Type.Object({
    agree: Type.Boolean(),
    verifications: Type.Integer(),
    recorded: Type.Integer(),
    sums: Type.Integer(),
    differences: Type.Array(Type.Object({ reference: orNull({ ...reference, none: "sum" }), what: Type.String() })),
  }),
  view: ({ agree, verifications, recorded, sums, differences }) => {
    const read = `${counted(verifications, "verification", "verifications")} on the ledger, ${recorded} on the trail, ${counted(sums, "sum", "sums")}.`;
    const { length } = differences;
    const verdict = `There ${length === 1 ? "is 1 difference" : `are ${length} differences`}.`;
    const cure = differences.some(({ reference }) => reference === null)
      ? [mend("To make the sums anew", "books.rebuild-sums")]
      : [];
    return agree
      ? [`The ledger, the audit trail and the sums agree: ${read}`]
      : [{ problem: verdict, note: read, mends: cure }, list];
  },
  first: 100,
  isWell: ({ agree }) => agree,
  guide: {
    heading: "What to know:",
    items: [
      [
        "Verify first",
        "This command does not check the seals. `duba audit verify` shows whether somebody changed an entry.",
      ],
      [
        "Not compared",
        "Verifications that run, or that finished in the last seconds, " +
          "and verifications and sums that retention removes in these days.",
      ],
      ["Sums", "They are not compared until they are counted anew after a change of DUBA_TIME_ZONE: some minutes."],
    ],
  },
  run: async (_, { db, ledgerRows, timesOfReferences, ledgerSums, progress }: Room) => {
    const { reconcile } = await import("./reconcile.ts");
    const differences: { reference: string | null; what: string }[] = [];
    const found = (difference: LedgerDifference) => void differences.push(difference);
    return inSnapshot(db, async (snapshot) => {
      const { verifications, recorded } = await reconcile(snapshot, {
        ledger: await ledgerRows(snapshot),
        madeAt: await timesOfReferences(),
        found,
        progress,
      });
      let sums = 0;
      for await (const piece of await ledgerSums(snapshot)) {
        sums += piece.compared;
        differences.push(...piece.differences.map((what) => ({ reference: null, what })));
        progress(verifications + sums);
      }
      return { agree: differences.length === 0, verifications, recorded, sums, differences };
    });
  },
});

export const checkCommands = [verifyTrail, reconcileLedger];

async function timesOf(db: Db, kind: string): Promise<number[]> {
  const rows = await db
    .selectFrom("audit_entry")
    .select("occurred_at")
    .where("kind", "=", kind)
    .orderBy("occurred_at")
    .execute();
  return rows.map(({ occurred_at }) => occurred_at);
}

/** Returns the kinds of audit entries that are written only by commands that always need a passkey. */
function confirmedKinds(commands: readonly AnyCommand[]): Set<string> {
  const kindsOf = (isAlways: boolean) =>
    commands
      .filter((each) => (confirms(each) === "always") === isAlways)
      .flatMap(({ records = [] }) => records.map(({ kind }) => kind));
  return new Set(kindsOf(true)).difference(new Set(kindsOf(false)));
}

function problemText({ batch, entry, what }: ChainError): string {
  // A text with a final "?" is a complete sentence about more than one entry.
  if (what.endsWith("?")) return what;
  if (entry !== null) return `Entry ${entry}${batch === null ? "" : ` of batch ${batch}`} ${what}.`;
  return `${batch === null ? "The head" : `Batch ${batch}`} ${what}.`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
