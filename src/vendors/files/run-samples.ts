import { isDeepStrictEqual } from "node:util";
import { checkInputOf, checks } from "../../checks/index.ts";
import { koboOf } from "../../declare/money.ts";
import { silent } from "../../runtime/log.ts";
import type { IdentityAttempt, IdentityOutcome } from "../ports/identity-upstream.ts";
import { outcomeReader } from "../responses/read-outcome.ts";
import { outcomeInWords } from "../responses/vendor-words.ts";
import { requestFor } from "./make-request.ts";
import { casesThatHold, endingOf, responsesOf } from "./read-answer.ts";
import type { FileProblem } from "./read-vendor-file.ts";
import type { Sample, VendorFile } from "./vendor-file.ts";

/** Reads the samples of a file as Duba would, and returns the differences. */
export async function runSamples(file: VendorFile): Promise<FileProblem[]> {
  const problems: FileProblem[] = [];
  for (const [at, sample] of file.samples.entries())
    for (const { place, problem, cure } of [
      ...requestDifferences(file, sample),
      ...(await outcomeDifferences(file, sample)),
    ])
      problems.push({ place: `/samples/${at}${place}`, problem: `${sample.title}: ${problem}`, cure });
  return problems;
}

function attemptOf({ kind, asked = {} }: Sample): IdentityAttempt {
  const check = checks[kind];
  const { number, ...claims } = asked;
  const { first_name, last_name, ...others } = claims;
  const texts = { ...check.example, ...others, ...(number !== undefined && { [kind]: number }) };
  const input = checkInputOf(check, texts);
  const names = { ...(first_name !== undefined && { first_name }), ...(last_name !== undefined && { last_name }) };
  const { signal } = new AbortController();
  return {
    ...input,
    claims: { ...input.claims, ...names },
    reference: "{reference}",
    consentReference: "{consent_reference}",
    signal,
  };
}

/** Compares the request that Duba would send with the sample's. Settings appear as their names. */
function requestDifferences(file: VendorFile, sample: Sample): FileProblem[] {
  const { request: wanted } = sample;
  if (!wanted) return [];
  const named = Object.fromEntries(Object.keys(file.settings).map((member) => [member, `{${member}}`]));
  const made = requestFor(file, { ...named, url: "" }, attemptOf(sample), "{token}");
  const headers = lowered(made.headers as Record<string, string>);
  const places: [place: string, wanted: unknown, made: unknown][] = [
    ["/method", wanted.method, made.method],
    ["/path", wanted.path, made.url],
    ...Object.entries(lowered(wanted.headers ?? {})).map(
      ([name, text]) => [`/headers/${name}`, text, headers[name]] as [string, unknown, unknown],
    ),
    ["/json", wanted.json, made.body],
    ["/form", wanted.form, made.form],
  ];
  return places
    .filter(([, one, other]) => !isDeepStrictEqual(one, other))
    .map(([place, , other]) => ({
      place: `/request${place}`,
      problem: `Duba sends ${shownValue(other)}.`,
      cure: `Mend /kinds/${sample.kind}, or the sample.`,
    }));
}

const lowered = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]));

async function outcomeDifferences(file: VendorFile, sample: Sample): Promise<FileProblem[]> {
  const { kind, answer, makes } = sample;
  const read = outcomeReader(responsesOf(file), silent);
  const body = answer.json ?? answer.form;
  const outcome = await read({ kind: "answered", status: answer.status ?? 200, body }, attemptOf(sample));
  const ending = endingOf(outcome);
  if (ending !== makes.outcome)
    return [
      {
        place: "/makes/outcome",
        problem: `Duba makes ${ending} of it${whyOf(file, sample, outcome)}.`,
        cure:
          makes.outcome === "found" && ending === "rejected"
            ? `Look at found, and at where /kinds/${kind}/record has the number and a name.`
            : `Say under says what ${makes.outcome} is, or mend the sample.`,
      },
    ];
  const record = outcome.state === "verified" ? flat(outcome.record) : {};
  const wantedRecord = Object.entries(makes.record ?? {});
  const kobo = makes.balance === undefined ? undefined : koboOf(makes.balance);
  const facts: [place: string, wanted: unknown, made: unknown, mend: string][] = [
    ...wantedRecord.map(
      ([member, text]) =>
        [`/record/${member}`, text, record[member], `/kinds/${kind}/record/members/${member}`] as [
          string,
          unknown,
          unknown,
          string,
        ],
    ),
    ...(makes.billed === undefined ? [] : ([["/billed", makes.billed, outcome.billed, "/billed"]] as const)),
    ...(makes.reference === undefined
      ? []
      : ([["/reference", makes.reference, outcome.reference, "/reference"]] as const)),
    ...(makes.balance === undefined ? [] : ([["/balance", kobo, outcome.balance, "/balance"]] as const)),
  ].map((each) => [...each] as [string, unknown, unknown, string]);
  return facts
    .filter(([, one, other]) => one !== other)
    .map(([place, , other, mend]) => ({
      place: `/makes${place}`,
      problem: `Duba makes ${shownValue(other)} of it.`,
      cure: `Mend ${mend}, or the sample.`,
    }));
}

/**
 * Returns the reason for an outcome of a sample: a case of the file, or Duba's own table. The text follows "Duba makes
 * … of it".
 */
function whyOf(file: VendorFile, { kind, answer }: Sample, outcome: IdentityOutcome): string {
  const [status, body, ending] = [answer.status ?? 200, answer.json ?? answer.form, endingOf(outcome)];
  const cases = casesThatHold(file, kind, status, body);
  const held = cases.find(({ word, isSo }) => isSo && word === ending);
  if (held && ending !== "found") return `, as ${held.place} says`;
  const missing = cases.find(({ word, isSo }) => word === "found" && !isSo);
  if (ending === "rejected" && "reason" in outcome && outcome.reason === "shape")
    return missing
      ? ` (shape): nothing says that it failed, and ${missing.place} is not so`
      : " (shape): found is so, and the number or a name is not where the record is looked for";
  if (ending === "rejected") return ": it failed, and neither a case nor words that Duba knows say why";
  const words = outcomeInWords(body);
  if (words && endingOf(words) === ending) return ", by words that its own table has";
  return status >= 300 ? `, by its HTTP status ${status} alone` : "";
}

/** Returns all members of a record by name, without nesting. */
function flat(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      typeof value === "object" && value !== null ? Object.entries(flat(value)) : [[name, value]],
    ),
  );
}

const shownValue = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value));
