import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { readLists } from "../src/catalogue/files/read-lists.ts";
import { readInvoice } from "../src/features/books/invoice.ts";
import { longestUpload } from "../src/features/console/console-request.ts";
import { type Operators, startOperators } from "../src/features/console/operators.fixture.ts";
import { TimeZone } from "../src/runtime/time-zone.ts";
import { everyCommand } from "../src/wire/every-command.ts";
import { ran } from "./support/command-line.ts";
import { engines } from "./support/engines.ts";

const MiB = 1024 * 1024;
const bundles = "type,code,description,amount,price,value,duration\n";
const tooLong = "data-bundles, line 2: is longer than 64 KiB";

const entries = () => Array.from({ length: 100_000 }, (_, n) => `MTNDATA,c${n},x,1,1,,\n`).join("");
const levels = () => `{"data-bundles":${"[".repeat(MiB)}${"]".repeat(MiB)}}`;
const ones = () => `{"data-bundles":[${"1,".repeat(100_000)}1]}`;
const long = () => `{"data-bundles":[{"code":"${"\\n".repeat(7 * MiB)}"}]}`;
const mapping = "own,source_code\n";
const codes = () => Array.from({ length: 100_000 }, (_, n) => `a${n},MTNDATA c${n}\n`).join("");
const rules = () => `account,codes,margin,price\n${"a@example.com,MTNDATA,3%,\n".repeat(100_000)}`;
const ended = "Duba read no further";

const invoices: [what: string, text: () => string, said: string][] = [
  [
    "quotation marks on one line",
    () => `reference,price\n${'"a""'.repeat((14 * MiB) / 4)}`,
    "Line 2 of the invoice is not CSV",
  ],
  [
    "a record of 1 MiB",
    () => `reference,price\n"${"x".repeat(MiB)}",1\n`,
    "Line 2 of the invoice is longer than 64 KiB",
  ],
  ["100,000 faulty lines", () => `reference,price\n${"x,y\n".repeat(100_000)}`, "99990 more lines"],
];

/** Files that once blocked the whole service, or could: a description, their text, and the expected error. */
const hostile: Record<string, [what: string, text: () => string, said: string][]> = {
  "catalogue.import data-bundles.csv": [
    ["quotation marks on one line", () => bundles + '"a""'.repeat((14 * MiB) / 4), tooLong],
    ["quotation marks on many lines", () => bundles + '"a""\n'.repeat(MiB), `${ended}: correct these problems first`],
    ["a record of 1 MiB", () => `${bundles}A,1,"${"x".repeat(1023)}\n`.padEnd(MiB, "x\n"), tooLong],
    ["a line of commas", () => ",".repeat(14 * MiB), "data-bundles, line 1: is longer than 64 KiB"],
    [
      "100,000 faulty lines",
      () => bundles + "A,1,x\n".repeat(100_000),
      `line 101: has 3 values, and the heading has 7. ${ended}`,
    ],
    [
      "more entries than a catalogue holds",
      () => bundles + entries(),
      "line 20002: is more than the 20,000 entries that a catalogue holds",
    ],
  ],
  "catalogue.import catalogue.json": [
    ["JSON of a million levels", levels, "it has objects in objects"],
    ["JSON with 100,000 problems", ones, `entry 100: must be an object. ${ended}`],
    ["a text of 14 MiB in JSON", long, "entry 1: is longer than 64 KiB"],
  ],
  "catalogue.import prices.csv": [
    [
      "100,000 faulty lines",
      rules,
      `line 101: account must be the id or e-mail of an account, or a group such as group:agents. ${ended}`,
    ],
  ],
  "catalogue.map.import mapping.csv": [
    [
      "quotation marks on one line",
      () => mapping + '"a""'.repeat((14 * MiB) / 4),
      "line 2: is longer than 64 KiB: a quotation mark may be opened here",
    ],
    ["a record of 1 MiB", () => `${mapping}A,"${"x".repeat(1023)}\n`.padEnd(MiB, "x\n"), "is longer than 64 KiB"],
    [
      "100,000 faulty lines",
      () => mapping + "x\n".repeat(100_000),
      `line 101: has 1 values, and the heading has 2. ${ended}`,
    ],
    ["100,000 lines without a code", () => mapping + "x,\n".repeat(100_000), `is empty. ${ended}`],
    [
      "more codes than a catalogue holds",
      () => mapping + codes(),
      "line 20002: is more than the 20,000 entries that a catalogue holds",
    ],
  ],
  "books.reconcile invoice.csv": invoices,
  "books.settle-unknown invoice.csv": invoices,
};
const files = Object.entries(hostile).flatMap(([place, those]) => {
  const [command = "", name = ""] = place.split(" ");
  return those.map(([what, text, said]) => ({ command, name, what, text, said }));
});

/** The member for the file, the further fields of the form, and the words of the command line. */
const inputs: Record<string, { file: string; fields: Record<string, string>; argv(path: string): string[] }> = {
  "catalogue.import": { file: "file", fields: { dry_run: "on" }, argv: (path) => [path, "--dry-run"] },
  "catalogue.map.import": {
    file: "file",
    fields: { source: "ebills", dry_run: "on" },
    argv: (path) => ["ebills", path, "--dry-run"],
  },
  "books.reconcile": { file: "invoice", fields: { vendor: "dojah" }, argv: (path) => [path, "--vendor", "dojah"] },
  "books.settle-unknown": {
    file: "invoice",
    fields: { vendor: "dojah", reason: "May", dry_run: "on" },
    argv: (path) => [path, "--vendor", "dojah", "--reason", "May", "--dry-run"],
  },
};

test("every command that reads a file while the service runs is tried with hostile files", async () => {
  const readsFile = ({ input, only }: { input: object; only?: unknown }) =>
    only !== "terminal" && JSON.stringify(input).includes('"holds":"file"');
  const reading = (await everyCommand()).filter(readsFile).map(({ id }) => id);
  assert.deepEqual(reading.sort(), Object.keys(inputs).sort());
  assert.deepEqual([...new Set(files.map(({ command }) => command))].sort(), Object.keys(inputs).sort());
});

// Files are read before a store is asked.
suite("a hostile file", () => {
  let operators: Operators;
  before(async () => {
    operators = await startOperators(engines[0]!, { DUBA_LIMITS: "off" });
  });
  after(() => operators.service.close());

  /** Sends a form with files as browsers do. */
  const upload = async (command: string, fields: Record<string, string | File>) => {
    const { cookie, token } = operators.by.officer;
    const body = new FormData();
    for (const [name, value] of Object.entries({ _token: token, _form: randomUUID(), ...fields }))
      body.append(name, value as string);
    const headers = { Cookie: cookie, Origin: operators.origin };
    const path = `/${command.replaceAll(".", "/")}`;
    const response = await fetch(`${operators.origin}${path}`, { method: "POST", headers, body });
    return { status: response.status, text: await response.text() };
  };

  /** Sends look-ups, which must be answered while the work goes on. */
  const lookUpsDuring = async (work: Promise<unknown>) => {
    let [isOver, answered] = [false, 0];
    const over = work.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const { status } = await operators.service.ask("/api/v2/internet/data/lookup?provider=MTNDATA");
      assert.equal(status, 200);
      if (!isOver) answered += 1;
    }
    await over;
    return answered;
  };

  for (const { command, name, what, text, said } of files)
    test(`a hostile file of ${what} is refused by duba ${command.replaceAll(".", " ")} and by its form, with at most 100 problems`, async () => {
      const bytes = text();
      assert.ok(bytes.length < longestUpload);
      const { file, fields, argv: wordsOf } = inputs[command]!;
      const form = await upload(command, { ...fields, [file]: new File([bytes], name) });
      assert.ok(form.text.includes(said), form.text.slice(-2_000));

      const path = join(operators.service.settings.dataDirectory, name);
      writeFileSync(path, bytes);
      const { exitCode, err } = await ran([...command.split("."), ...wordsOf(path)], {
        environment: { DUBA_DATA: operators.service.settings.dataDirectory },
      });
      assert.ok(exitCode > 0);
      assert.ok(err.includes(said), err);
      assert.ok(err.trimEnd().split("\n").length <= 100, `${err.split("\n").length} lines`);
    });

  test("look-ups are answered while a hostile file is read", async () => {
    const [quoted, , , faulty] = files.map(({ text }) => new Uint8Array(Buffer.from(text())));
    const list = { name: "data-bundles.csv", read: async () => faulty! };
    assert.ok((await lookUpsDuring(readLists(list, "data-bundles"))) > 0);
    const invoice = { name: "invoice.csv", read: async () => quoted! };
    const reading = readInvoice(invoice, new TimeZone("Africa/Lagos"), {
      names: { reference: "type", price: "price" },
    });
    assert.ok((await lookUpsDuring(reading.catch(() => {}))) > 0);
  });

  test("a form with very many fields is refused, and look-ups continue meanwhile", async () => {
    const type = "application/x-www-form-urlencoded";
    const { cookie, token } = operators.by.officer;
    const sent = { cookie, headers: { "Content-Type": type, Origin: operators.origin } };
    const body = `_token=${token}&${"a=1&".repeat(MiB)}`;
    const sending = operators.send("/catalogue/import", { ...sent, method: "POST", body });
    assert.ok((await lookUpsDuring(sending)) > 0);
    const { status, text } = await sending;
    assert.equal(status, 400);
    assert.match(text, /cannot read the form/);
  });
});
