import {
  account,
  facts,
  happening,
  lines,
  list,
  orNull,
  reference,
  time,
} from "../../operation/command/answer-schema.ts";
import { id, moment } from "../../operation/command/forms.ts";
import { projected } from "../../operation/command/projected.ts";
import { formed, InputError } from "../../operation/command/read-texts.ts";
import { command, mostCounted } from "../../operation/command.ts";
import Type from "../../operation/schema/type.ts";
import { count } from "../../operation/setting.ts";
import type { Audited } from "../../storage/audited.ts";
import { kinds } from "../event-types.ts";
import { headText } from "./kept-head.ts";

const tailTrail = command({
  id: "audit.tail",
  title: "Newest entries",
  summary: "Show the newest entries, oldest first.",
  description: "It does not verify them.",
  role: "viewer",
  kind: "read",
  reports: true,
  input: Type.Object({
    lines: formed(count, { description: "Maximum number of entries.", placeholder: "number", default: "20" }),
    since: Type.Optional(
      formed(moment, { description: `Only entries from this time: ${moment.form}.`, placeholder: "when" }),
    ),
    until: Type.Optional(
      formed(moment, { description: `Only entries before this time: ${moment.form}.`, placeholder: "when" }),
    ),
    kind: Type.Optional(Type.Enum(Object.keys(kinds), { description: "Only entries of this kind." })),
    reference: Type.Optional(
      formed(id, { description: "Only entries about the verification with this request_reference." }),
    ),
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
  }),
  tab: {
    count: async ({ reference }, { db }: Audited) =>
      (await (await import("../read.ts")).tail(db, { most: mostCounted, reference: reference! })).length,
  },
  page: ["kind", "actor", "facts", "occurred_at"],
  sort: "-occurred_at",
  columns: ["occurred_at", "kind", "actor", "facts"],
  view: ({ head }) => (head === null ? [list] : [list, { note: `Head: ${head}` }]),
  examples: [{}, { kind: "key.revoked", since: "2026-11-01", until: "2026-12-01" }],
  run: async ({ lines, ...request }, { db }: Audited) => {
    const [{ tail }, { storedHead }] = await Promise.all([import("../read.ts"), import("../chain/head.ts")]);
    const { since, until } = request;
    if (since !== undefined && until !== undefined && until <= since)
      throw new InputError('The period ends before it begins. Give an earlier "since" or a later "until".');
    const entries = await tail(db, { most: lines, ...request });
    return {
      entries: entries.map((entry) => ({ ...entry, facts: factsOf(entry.kind, entry.facts) })),
      head: headText((await storedHead(db)) ?? null),
    };
  },
});

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
    const { exportTrail } = await import("../export.ts");
    return (async function* () {
      for await (const line of exportTrail(db)) {
        yield line;
        if ("seal" in line) progress(Number(line.seal.batch));
      }
    })();
  },
});

export const readCommands = [tailTrail, exportTrail];

/** The facts of an entry, with readable times; the stored text if it is not JSON. */
function factsOf(kind: string, text: string): Record<string, unknown> | string {
  const forms = kinds[kind] ?? {};
  try {
    const facts: unknown = JSON.parse(text);
    if (typeof facts !== "object" || facts === null || Array.isArray(facts)) return text;
    return Object.fromEntries(
      Object.entries(facts).map(([name, value]) => [name, forms[name] === "time" ? projected(time, value) : value]),
    );
  } catch {
    return text;
  }
}
