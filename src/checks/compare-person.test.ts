import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { parse } from "csv-parse/sync";
import type { PersonRecord } from "../declare/identity-record.ts";
import { comparePerson } from "./compare-person.ts";
import { inventedPerson } from "./invented-person.ts";

interface Pair extends Record<"first" | "middle" | "last" | "name" | "result" | "why" | "source", string> {
  member: "first_name" | "last_name";
  sent: string;
}

const pairs = parse<Pair>(readFileSync("data/names/pairs.csv"), { columns: true });
const someone = inventedPerson("bvn", "22000000017", "8000000017");

function named(first_name: string, middle_name: string, last_name: string, changes: object = {}): PersonRecord {
  return { ...someone, personal_info: { ...someone.personal_info, first_name, middle_name, last_name, ...changes } };
}

const resultOf = ({ member, sent, first, middle, last }: Pair) =>
  comparePerson(named(first, middle, last), { [member]: sent })[member];

/** Asserts that a sentence of the page about the rules states these figures. */
function assertTold(pattern: RegExp, ...figures: number[]): void {
  const [, ...told] = pattern.exec(readFileSync("docs/names.md", "utf8").replaceAll(/\s+/g, " ")) ?? [];
  assert.deepEqual(
    told.map((figure) => Number(figure.replace(",", ""))),
    figures,
    String(pattern),
  );
}

suite("names compared by the rules", () => {
  for (const [why, ofRule] of Map.groupBy(pairs, ({ why }) => why))
    test(why, () => {
      for (const pair of ofRule) assert.equal(resultOf(pair), pair.result, JSON.stringify(pair));
    });

  test("no pair of different names matches, and half of all pairs have different names", () => {
    const others = pairs.filter(({ name }) => name === "other");
    assert.deepEqual(
      others.filter((pair) => resultOf(pair) === "match"),
      [],
    );
    assert.ok(others.length * 2 >= pairs.length && pairs.length >= 300, `${others.length} of ${pairs.length}`);
    assert.ok(pairs.every(({ source }) => source === "made here" || source.startsWith("https://")));
  });

  test("the documentation gives the right numbers of matching, near and differing pairs of names", () => {
    const found = Map.groupBy(pairs, (pair) => `${pair.name} ${resultOf(pair)}`);
    const count = (key: string) => found.get(key)?.length ?? 0;
    assertTold(
      /(\d+) pairs of one name, (\d+) are `match`, (\d+) `near` and (\d+) `differs`/,
      ...[pairs.filter(({ name }) => name === "same").length, count("same match")],
      ...[count("same near"), count("same differs")],
    );
    assertTold(
      /(\d+) pairs of other names, none is `match`, (\d+) are `near` and (\d+) `differs`/,
      ...[pairs.filter(({ name }) => name === "other").length, count("other near"), count("other differs")],
    );
  });

  test("none of 10,000 pairs of different names matches, and the documentation says how many are near", () => {
    const counts = { match: 0, near: 0, differs: 0 };
    let at = 0;
    for (let pair = 0; pair < 10_000; at += 1) {
      const [one, other] = [2 * at, 2 * at + 1].map(
        (seed) => inventedPerson("bvn", String(22_000_000_000 + seed), "8000000017").personal_info,
      ) as [PersonRecord["personal_info"], PersonRecord["personal_info"]];
      if (one.first_name === other.first_name || one.last_name === other.last_name) continue;
      pair += 1;
      const { first_name, last_name, date_of_birth } = one;
      // Every second pair has the same surname, and every fourth pair has the same birth date as well: twins.
      const isFamily = pair % 2 === 0;
      const twin = pair % 4 === 0 ? { date_of_birth } : {};
      const record = named(other.first_name, other.middle_name, isFamily ? last_name : other.last_name, twin);
      const result = comparePerson(record, { first_name, last_name, date_of_birth });
      counts[result.first_name as keyof typeof counts] += 1;
      if (isFamily) assert.equal(result.last_name, "match");
      else counts[result.last_name as keyof typeof counts] += 1;
      if (pair % 4 === 0) assert.equal(result.date_of_birth, "match");
    }
    assert.equal(counts.match, 0);
    assertTold(
      /10,000 pairs of invented people .* ([\d,]+) comparisons .* ([\d,]+) are `near`/,
      counts.near + counts.differs,
      counts.near,
    );
  });

  test("a name of five letters or more counts as near if one letter is missing", () => {
    for (const [own, sent, first_name] of [
      ["EMEKA", "EMKA", "near"],
      ["ADAM", "ADM", "differs"],
    ] as const)
      assert.deepEqual(comparePerson(named(own, "", "OKAFOR"), { first_name: sent }), { first_name }, own);
  });

  test("a sent text that is no name counts as unreadable, and a name that the record lacks as absent", () => {
    const record = named("CHIDI", "", "OKAFOR");
    for (const first_name of ["", " ", "22000000017", "Ch1di", "Сhidi", "محمد", "-", "Chidi".repeat(21), "<b>"])
      assert.deepEqual(comparePerson(record, { first_name }), { first_name: "unreadable" }, first_name);
    assert.deepEqual(comparePerson(named("", "", ""), { first_name: "A", last_name: "B" }), {
      first_name: "absent",
      last_name: "absent",
    });
  });

  test("a birth date is read only in forms that cannot confuse day and month", () => {
    const record = named("CHIDI", "", "OKAFOR", { date_of_birth: "09-Jul-1982" });
    const results = {
      match: ["1982-07-09", "09-Jul-1982", "9-JUL-1982", "9 July 1982", "July 9, 1982", " 1982-07-09 "],
      differs: ["1982-09-07", "1982-07-10", "9-Jul-1983", "0082-07-09"],
      unreadable: ["09/07/1982", "07-09-1982", "1982-7-9", "1982-02-30", "1982-13-01", "9-Juli-1982", "1982", ""],
    };
    for (const [result, dates] of Object.entries(results))
      for (const date_of_birth of dates)
        assert.deepEqual(comparePerson(record, { date_of_birth }), { date_of_birth: result }, date_of_birth);
    const masked = named("CHIDI", "", "OKAFOR", { date_of_birth: "" });
    assert.deepEqual(comparePerson(masked, { date_of_birth: "1982-07-09" }), { date_of_birth: "absent" });
  });
});
