import type { Entry } from "../../audit/read.ts";
import type { DeclaredKind } from "../../declare/audit-kind.ts";
import {
  account,
  facts,
  happening,
  lines,
  list,
  orNull,
  reference,
  richTextMember,
  time,
} from "../../declare/command/answer-schema.ts";
import { cursorAt, id, moment, place } from "../../declare/command/forms.ts";
import { projected } from "../../declare/command/projected.ts";
import { formed, InputError } from "../../declare/command/read-texts.ts";
import { joinTexts, type Named, type RichText, richText } from "../../declare/command/rich-text.ts";
import { command, mostCounted } from "../../declare/command.ts";
import { eventText } from "../../declare/event.ts";
import Type from "../../declare/schema/type.ts";
import { count } from "../../declare/setting.ts";
import type { Audited } from "../../storage/audited.ts";
import { pauseReasons } from "../../verification/routes/paused-vendors.ts";
import { headText } from "./kept-head.ts";

/** `kinds`: all kinds of events that this build knows. */
const tailTrail = (kinds: readonly DeclaredKind[]) =>
  command({
    id: "audit.tail",
    title: "Newest entries",
    summary: "Show the newest entries, oldest first.",
    description: "It does not verify them.",
    role: "viewer",
    kind: "read",
    shownAs: "lately",
    reports: true,
    input: Type.Object({
      lines: formed(count, { description: "Maximum number of entries.", placeholder: "number", default: "50" }),
      cursor: Type.Optional(
        formed(place, {
          description: "Where to go on: the cursor that the entries after show.",
          placeholder: "cursor",
        }),
      ),
      since: Type.Optional(
        formed(moment, { description: `Only entries from this time: ${moment.form}.`, placeholder: "when" }),
      ),
      until: Type.Optional(
        formed(moment, { description: `Only entries before this time: ${moment.form}.`, placeholder: "when" }),
      ),
      kind: Type.Optional(Type.Enum(namesOf(kinds), { description: "Only entries of this kind." })),
      without: Type.Optional(
        Type.Enum(namesOf(kinds), { description: "Leave out the entries of this kind.", unchosen: "None" }),
      ),
      reference: Type.Optional(formed(id, { description: "Only entries about the verification with this reference." })),
    }),
    answer: Type.Object({
      entries: Type.Array(
        Type.Object({
          id: reference,
          occurred_at: time,
          kind: { ...happening, label: "What happened" },
          actor: account,
          facts,
          batch: orNull(Type.Integer()),
        }),
      ),
      head: orNull(Type.String()),
      /** The cursor of the next older entries; null if this answer has fewer entries than `lines`. */
      next: orNull(Type.String()),
    }),
    tab: {
      count: async ({ reference }, { db }: Audited) =>
        (await (await import("../../audit/read.ts")).tail(db, { most: mostCounted, reference: reference! })).length,
    },
    page: [
      {
        name: "said",
        of: ({ kind, facts }) => sentenceOf(kind, facts),
        as: { ...richTextMember, label: "What happened" },
      },
      ...(["actor", "facts", "occurred_at"] as const),
    ],
    sort: "-occurred_at",
    columns: ["occurred_at", "kind", "actor", "facts"],
    view: ({ head, next }) => [
      list,
      ...(head === null ? [] : [{ note: `Head: ${head}` }]),
      ...(next === null ? [] : [{ more: next }]),
    ],
    examples: [
      {},
      { kind: "key.revoked", since: "2026-11-01", until: "2026-12-01" },
      { without: "endpoint.rolled", lines: "100" },
    ],
    run: async ({ lines, cursor: before, ...request }, { db }: Audited) => {
      const [{ tail }, { storedHead }] = await Promise.all([
        import("../../audit/read.ts"),
        import("../../audit/chain/head.ts"),
      ]);
      checkPeriod(request);
      const entries = await tail(db, { most: lines, before, ...request });
      const [oldest] = entries;
      return {
        entries: withFacts(kinds, entries),
        head: headText((await storedHead(db)) ?? null),
        next: oldest && entries.length === lines ? cursorAt(oldest.occurred_at, oldest.id) : null,
      };
    },
    rows: async function* ({ lines: _, cursor: _before, ...request }, { db }: Audited) {
      checkPeriod(request);
      const { wholeTail } = await import("../../audit/read.ts");
      for await (const entries of wholeTail(db, request)) yield withFacts(kinds, entries);
    },
  });

/** The subject of an entry, with names in place of ids: "Key revoked: Checkout, Kobo Pay". */
function sentenceOf(kind: string, facts: unknown): RichText {
  const said = Object.entries(Object(facts) as Record<string, unknown>).flatMap(([name, fact]) => {
    const about = named.get(name)?.(String(fact));
    return about === undefined || fact === null ? [] : [about];
  });
  const about = said.slice(0, mostNamed).map((piece): RichText => [piece]);
  return about.length === 0 ? [eventText(kind)] : richText`${eventText(kind)}: ${joinTexts(about, ", ")}`;
}

/** A sentence with more names would be too long. */
const mostNamed = 2;

const whyPaused: ReadonlyMap<string, string> = new Map(Object.entries(pauseReasons));

type NameOf = (fact: string) => string | Named | undefined;

/** The facts that name the subject of an entry, and why a vendor was paused. */
const named: ReadonlyMap<string, NameOf> = new Map<string, NameOf>([
  ["key", (key) => ({ key })],
  ["account", (account) => ({ account })],
  ["vendor", (vendor) => ({ vendor })],
  ["upstream", (vendor) => ({ vendor })],
  ["draft", (draft) => `change d${draft}`],
  ["revision", (revision) => `revision ${revision}`],
  ["why", (why) => whyPaused.get(why)],
  ...["email", "reference", "name"].map((name) => [name, (fact: string) => fact] as const),
]);

function checkPeriod({ since, until }: { since?: number; until?: number }): void {
  if (since !== undefined && until !== undefined && until <= since)
    throw new InputError('The period ends before it begins. Give an earlier "since" or a later "until".');
}

function withFacts(kinds: readonly DeclaredKind[], entries: readonly Entry[]) {
  const types = new Map(kinds.map((each) => [each.kind, each.types]));
  return entries.map((entry) => ({ ...entry, facts: factsOf(types.get(entry.kind), entry.facts) }));
}

const exportTrail = command({
  id: "audit.export",
  title: "Export the trail",
  summary:
    "Write the sealed audit trail as JSON lines: for each batch its entries and its seal, and at the end the head.",
  description: "If you keep the head in another place, you can verify the copy without the database and without a key.",
  role: "viewer",
  kind: "read",
  reports: true,
  counts: "batches",
  answer: lines(Type.Object({})),
  guide: {
    heading: "How to verify a copy (all hashes are SHA-256 in base64url):",
    items: [
      [
        "Entry",
        'Hash of the JSON array of its "id", "occurred_at", "kind", "actor" and "facts", all text, without spaces.',
      ],
      ["Batch", 'The lines "<id> <hash>" of its entries, joined by \\n, hash to the "content" of its seal.'],
      ["Seal", 'Hash of the JSON array of its "batch", "previous", "sealed_at", "size" and "content", all text.'],
      ["Chain", "Each seal's hash is \"previous\" in the next, and the last one's is the hash of the head."],
    ],
  },
  run: async (_, { db, progress }: Audited & { progress: (done: number) => void }) => {
    const { exportTrail } = await import("./export.ts");
    return (async function* () {
      for await (const line of exportTrail(db)) {
        yield line;
        if ("seal" in line) progress(Number(line.seal.batch));
      }
    })();
  },
});

export const readCommands = (kinds: readonly DeclaredKind[]) => [tailTrail(kinds), exportTrail];

function namesOf(kinds: readonly DeclaredKind[]): string[] {
  return kinds.map(({ kind }) => kind);
}

/** The facts of an entry, with readable times; the stored text if it is not a JSON object. */
function factsOf(types: DeclaredKind["types"] = {}, text: string): Record<string, unknown> | string {
  try {
    const facts: unknown = JSON.parse(text);
    if (typeof facts !== "object" || facts === null || Array.isArray(facts)) return text;
    return Object.fromEntries(
      Object.entries(facts).map(([name, value]) => [name, types[name] === "time" ? projected(time, value) : value]),
    );
  } catch {
    return text;
  }
}
