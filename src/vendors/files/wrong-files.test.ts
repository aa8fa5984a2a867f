import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { type FileProblem, largestFile, readVendorFile } from "./read-vendor-file.ts";
import { runSamples } from "./run-samples.ts";
import { vendorFilesIn } from "./vendor-files.ts";

type Json = Record<string, unknown>;

const fixtures = ["flat", "nested", "form"].map((name) =>
  readFileSync(`src/vendors/files/fixtures/${name}.json`, "utf8"),
);
const [flat] = fixtures as [string];

async function problemsOf(file: unknown): Promise<FileProblem[]> {
  const read = readVendorFile(typeof file === "string" ? file : JSON.stringify(file));
  return "problems" in read ? read.problems : runSamples(read.file);
}

/** Returns the problems of the flat file after a change. */
async function after(change: (file: never) => void): Promise<FileProblem[]> {
  const file = JSON.parse(flat);
  change(file as never);
  return problemsOf(file);
}

/** Yields each member and item of a file: its path, its parent and its name. */
function* placesIn(value: unknown, path = ""): Generator<{ path: string; of: Json; name: string }> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    yield { path: `${path}/${name}`, of: value as Json, name };
    yield* placesIn(inner, `${path}/${name}`);
  }
}

/** The vendor decides the JSON below these paths, so any value is valid. */
const free = /^\/kinds\/\w+\/json|^\/samples\/\d+\/(?:answer|request)\/(?:json|form)(?:\/|$)/;
const isFree = (path: string) => free.test(path);

function assertTold(problems: readonly FileProblem[], what: string): void {
  assert.ok(problems.length > 0, `${what} is not noticed`);
  for (const { place, problem, cure } of problems) {
    assert.match(place, /^(?:\/[^/]+)*$/, what);
    assert.match(problem, /^.+[.?]$/s, what);
    assert.match(cure, /^.+[.}]$/s, what);
  }
}

suite("a vendor file with one thing wrong", () => {
  test("a value of the wrong type is refused with its place, problem and remedy, in any member", async () => {
    let tried = 0;
    for (const text of fixtures)
      for (const { path } of [...placesIn(JSON.parse(text))]) {
        if (isFree(path)) continue;
        const file = JSON.parse(text);
        const { of, name } = [...placesIn(file)].find((each) => each.path === path)!;
        of[name] = typeof of[name] === "object" && !Array.isArray(of[name]) ? 7 : { canary: "x-canary-x" };
        const problems = await problemsOf(file);
        assertTold(problems, path);
        assert.ok(!JSON.stringify(problems).includes("x-canary-x"), path);
        tried += 1;
      }
    assert.ok(tried > 300, String(tried));
  });

  test("a misspelled member is refused, and the message asks whether the right name was meant", async () => {
    for (const text of fixtures)
      for (const { path, of } of [...placesIn(JSON.parse(text))]) {
        // The vendor chooses the names of settings, headers, parameters and form members.
        if (isFree(path) || Array.isArray(of)) continue;
        if (/^\/(?:settings|headers)\/[^/]+$|\/(?:headers|query|form|asked)\/[^/]+$/.test(path)) continue;
        const file = JSON.parse(text);
        const found = [...placesIn(file)].find((each) => each.path === path)!;
        const entries = Object.entries(found.of).map(([name, value]) => [
          name === found.name ? `${name}x` : name,
          value,
        ]);
        for (const name of Object.keys(found.of)) delete found.of[name];
        Object.assign(found.of, Object.fromEntries(entries));
        assertTold(await problemsOf(file), path);
      }
    const [problem] = await after((file: { says: { notfound: unknown; not_found: unknown } }) => {
      file.says.notfound = file.says.not_found;
    });
    assert.equal(problem?.problem, "No member here is called notfound. Did you mean not_found?");
  });

  test("a vendor file is refused at the right place for problems that its schema cannot express", async () => {
    const cases: [place: string, problem: RegExp, change: (file: never) => void][] = [
      [
        "/name",
        /not written/,
        (file: Json) => {
          file.name = "Flat One";
        },
      ],
      [
        "/name",
        /Duba's own/,
        (file: Json) => {
          file.name = "sandbox";
        },
      ],
      [
        "/settings/key/name",
        /not named after the vendor/,
        (file: { settings: { key: Json } }) => {
          file.settings.key.name = "DUBA_OTHER_KEY";
        },
      ],
      [
        "/settings/key",
        /not said to be secret/,
        (file: { settings: { key: Json } }) => void delete file.settings.key.secret,
      ],
      [
        "/settings/key/default",
        /secret has a default/,
        (file: { settings: { key: Json } }) => {
          file.settings.key.default = "k";
        },
      ],
      [
        "/settings/url/default",
        /no address/,
        (file: { settings: { url: Json } }) => {
          file.settings.url.default = "ftp://flat.example";
        },
      ],
      [
        "/settings/url/default",
        /no address/,
        (file: { settings: { url: Json } }) => {
          file.settings.url.default = "https://me:pw@flat.example";
        },
      ],
      ["/settings", /url is missing/, (file: { settings: Json }) => void delete file.settings.url],
      [
        "/headers/Authorization",
        /\{kye\}, which is neither/,
        (file: { headers: Json }) => {
          file.headers.Authorization = "Bearer {kye}";
        },
      ],
      [
        "/headers/Authorization",
        /no token/,
        (file: { headers: Json }) => {
          file.headers.Authorization = "Bearer {token}";
        },
      ],
      [
        "/headers/Authorization",
        /secret may stand/,
        (file: { headers: Json }) => {
          file.headers.Authorization = "Bearer x-canary-x";
        },
      ],
      [
        "/headers/x-app",
        /secret may stand/,
        (file: { headers: Json }) => {
          file.headers["x-app"] = "c4n4ryc4n4ryc4n4ryc4n4ry";
        },
      ],
      [
        "/headers/x app",
        /this name/,
        (file: { headers: Json }) => {
          file.headers["x app"] = "{key}";
        },
      ],
      [
        "/headers/x-app",
        /sign that no header/,
        (file: { headers: Json }) => {
          file.headers["x-app"] = "é";
        },
      ],
      [
        "/kinds/bvn/path",
        /not written/,
        (file: { kinds: { bvn: Json } }) => {
          file.kinds.bvn.path = "people";
        },
      ],
      [
        "/kinds/bvn",
        /names no number/,
        (file: { kinds: { bvn: Json } }) => {
          file.kinds.bvn.path = "/people";
        },
      ],
      [
        "/kinds/bvn",
        /GET has a body/,
        (file: { kinds: { bvn: Json } }) => {
          file.kinds.bvn.json = { id: "{number}" };
        },
      ],
      [
        "/kinds/bvn/base",
        /is an address/,
        (file: { kinds: { bvn: Json } }) => {
          file.kinds.bvn.base = "key";
        },
      ],
      [
        "/kinds/bvn/record",
        /of no member/,
        (file: { kinds: { bvn: Json } }) => {
          file.kinds.bvn.record = {};
        },
      ],
      [
        "/says/found/0",
        /says nothing/,
        (file: { says: { found: Json[] } }) => {
          file.says.found[0] = {};
        },
      ],
      [
        "/says/found/0",
        /compares no member/,
        (file: { says: { found: Json[] } }) => {
          file.says.found[0] = { is: 1 };
        },
      ],
      [
        "/samples",
        /a number that nobody has/,
        (file: { samples: { makes: Json }[] }) => {
          file.samples = file.samples.filter(({ makes }) => makes.outcome !== "not_found");
        },
      ],
      [
        "/samples/0/makes/record/first_name",
        /Duba makes "Faisal" of it/,
        (file: { samples: { makes: { record: Json } }[] }) => {
          file.samples[0]!.makes.record.first_name = "Musa";
        },
      ],
      [
        "/samples/0/makes/outcome",
        /rejected of it \(shape\): found is so, and the number or a name is not where the record is looked for/,
        (file: { kinds: { bvn: { record: { members: Json } } } }) => {
          file.kinds.bvn.record.members.bvn_number = "/number";
        },
      ],
      [
        "/samples/0/makes/outcome",
        /rejected of it \(shape\): nothing says that it failed, and \/says\/found\/0 is not so/,
        (file: { says: { found: Json[]; failed: Json[] } }) => {
          file.says.found = [{ member: "/no/such/member" }];
          file.says.failed = [{ member: "/no/such/member" }];
        },
      ],
      [
        "/samples/0/makes/outcome",
        /rejected of it: it failed, and neither a case nor words that Duba knows say why/,
        (file: { says: { failed: Json[] } }) => {
          file.says.failed = [{ member: "" }];
        },
      ],
      [
        "/samples/0/makes/outcome",
        /Duba makes no_money of it, as \/kinds\/bvn\/says\/no_money\/0 says/,
        (file: { kinds: { bvn: { says: Json } } }) => {
          file.kinds.bvn.says = { ...file.kinds.bvn.says, no_money: [{ status: 200 }] };
        },
      ],
      [
        "/samples/0/makes/outcome",
        /Duba makes bad_credentials of it, by its HTTP status 401 alone/,
        (file: { samples: { answer: Json }[] }) => {
          file.samples[0]!.answer.status = 401;
        },
      ],
      [
        "/samples/0/makes/outcome",
        /Duba makes no_money of it, by words that its own table has/,
        (file: { samples: { answer: Json }[] }) => {
          file.samples[0]!.answer = { status: 400, json: { message: "Insufficient balance" } };
        },
      ],
      [
        "/samples/0/request/path",
        /Duba sends "\/people\/22000000017\?phone=08000000017"/,
        (file: { kinds: { bvn: { query: Json } } }) => {
          file.kinds.bvn.query.phone = "{phone}";
        },
      ],
    ];
    for (const [place, problem, change] of cases) {
      const problems = await after(change);
      const found = problems.find((each) => each.place === place && problem.test(each.problem));
      assert.ok(found, `${place} ${problem}: ${JSON.stringify(problems)}`);
      assertTold(problems, place);
      assert.ok(!/canary|c4n4ry/.test(JSON.stringify(problems)), place);
    }
  });

  test("a vendor file is refused if it is too large or not JSON, with the number of the wrong line", async () => {
    const [broken] = await problemsOf(flat.replace('"title":', '"title"'));
    assert.match(broken!.problem, /^The file is no JSON: something is wrong in line 3\.$/);
    assert.match((await problemsOf("x".repeat(largestFile + 1)))[0]!.problem, /larger than 64 KiB/);
    for (const other of ["[]", "null", "7", '""', "{}"]) assertTold(await problemsOf(other), other);
  });
});

suite("a folder of vendor files", () => {
  const folderWith = (t: TestContext, files: Readonly<Record<string, string>>): string => {
    const folder = mkdtempSync(join(tmpdir(), "duba-vendor-files-"));
    t.after(() => rmSync(folder, { recursive: true }));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
    return folder;
  };

  test("a folder of vendor files yields one vendor per .json file, and ignores other files", (t) => {
    const folder = folderWith(t, { "a.json": fixtures[0]!, "b.json": fixtures[1]!, "read.me": "x", ".c.json": "x" });
    const { vendors, problems } = vendorFilesIn(folder);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      vendors.map(({ name }) => name),
      ["flatone", "nestly"],
    );
    assert.deepEqual(
      vendors.map(({ settings }) =>
        Object.values(settings)
          .filter((each) => each.secret)
          .map(({ name }) => name),
      ),
      [["DUBA_FLATONE_KEY"], ["DUBA_NESTLY_SECRET"]],
    );
  });

  test("a folder of vendor files is refused if it is missing, open to others, or has a vendor twice", (t) => {
    const twice = folderWith(t, { "a.json": flat, "b.json": flat });
    assert.match(
      String(vendorFilesIn(twice).problems),
      /b\.json describes flatone, as another file does: keep one of them\.$/,
    );
    const open = folderWith(t, { "a.json": flat });
    chmodSync(join(open, "a.json"), 0o644);
    assert.match(String(vendorFilesIn(open).problems), /a\.json is open to other users \(mode 644\): run chmod 600 /);
    chmodSync(join(open, "a.json"), 0o600);
    chmodSync(open, 0o755);
    assert.match(String(vendorFilesIn(open).problems), /is open to other users \(mode 755\): run chmod 700 /);
    assert.match(
      String(vendorFilesIn(join(open, "none")).problems),
      /must be a folder that Duba can read, .* \(ENOENT\)\.$/,
    );
    const wrong = folderWith(t, { "a.json": flat.replace('"kinds"', '"kindz"') });
    assert.match(String(vendorFilesIn(wrong).problems), /a\.json is wrong at its beginning: .*kinds is missing\./);
  });
});
