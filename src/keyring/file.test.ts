import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { engines, keyring, suiteStore } from "../verification/identity.fixture.ts";
import { changeKeyring, keyringPath, openKeyring, readKeyring } from "./file.ts";
import { type Keyring, KeyringError, keyringText, matchKeyring } from "./keyring.ts";

async function directory(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "duba-keyring-"));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

/** Writes the ring to a new file, and returns the file's path. */
async function written(t: TestContext, ring: Keyring = keyring): Promise<string> {
  const path = join(await directory(t), "keyring.json");
  await writeFile(path, keyringText(ring), { mode: 0o600 });
  return path;
}

const withKey = async (ring: Keyring): Promise<Keyring> => ({
  ...ring,
  records: [...ring.records, { id: `r${ring.records.length + 1}`, key: randomBytes(32), from: 1000 }],
});

for (const engine of engines) {
  suite(`the ring's file of a store on ${engine.name}`, () => {
    const store = suiteStore(engine);

    test("only one of the processes that start together makes the key ring, and all use it", async (t) => {
      const path = join(await directory(t), "deeper", "keyring.json");
      const { settings, dispose } = await engine.fresh();
      t.after(dispose);
      const module = (name: string) => JSON.stringify(import.meta.resolve(name));
      const program = `
        import { openStore } from ${module("../storage/store.ts")};
        import { matchKeyring } from ${module("./keyring.ts")};
        import { openKeyring } from ${module("./file.ts")};
        const store = await openStore(${JSON.stringify({ ...settings, serving: false })});
        const { keyring, made } = await openKeyring(${JSON.stringify(path)}, store.db);
        await matchKeyring(store.db, keyring, 1);
        await store.close();
        console.log(JSON.stringify([made, keyring.hmac[0].key.toString("hex")]));`;
      const run = () => promisify(execFile)(process.execPath, ["--eval", program]);
      const runs = await Promise.all(Array.from({ length: 3 }, run));
      const answers = runs.map(({ stdout }) => JSON.parse(stdout) as [boolean, string]);
      assert.equal(answers.filter(([made]) => made).length, 1);
      assert.equal(new Set(answers.map(([, key]) => key)).size, 1);
      assert.equal((await stat(path)).mode & 0o777, 0o600);
      assert.deepEqual(Object.keys(JSON.parse(await readFile(path, "utf8"))), ["hmac", "records", "audit"]);
      assert.deepEqual(await readdir(join(path, "..")), ["keyring.json"]);
    });

    test("only one of several concurrent calls in a process makes the key ring", async (t) => {
      const path = join(await directory(t), "keyring.json");
      const opened = await Promise.all(Array.from({ length: 8 }, () => openKeyring(path, store.db)));
      assert.equal(opened.filter(({ made }) => made).length, 1);
      for (const { keyring } of opened) assert.deepEqual(keyring, opened[0]!.keyring);
    });

    test("a lost ring is not replaced by a new one", async (t) => {
      await matchKeyring(store.db, keyring, 1);
      const path = join(await directory(t), "keyring.json");
      await assert.rejects(openKeyring(path, store.db), /The key ring .* is missing: put the ring back/);
      assert.deepEqual(await readdir(join(path, "..")), []);
      await writeFile(path, keyringText(keyring), { mode: 0o600 });
      assert.deepEqual(await openKeyring(path, store.db), { keyring, made: false });
    });

    test("a key ring that is unreadable, damaged or cannot be made is reported, and left unchanged", async (t) => {
      const path = await directory(t);
      await assert.rejects(openKeyring(path, store.db), /The key ring .* cannot be read \(EISDIR\)/);
      const file = join(path, "file");
      await writeFile(file, "{hmac", { mode: 0o600 });
      await assert.rejects(openKeyring(file, store.db), /is damaged: it is not JSON/);
      assert.equal(await readFile(file, "utf8"), "{hmac");
      await assert.rejects(openKeyring(join(file, "keyring.json"), store.db), KeyringError);
    });
  });
}

test("a changed key ring replaces the old file and keeps its mode, even through a link", async (t) => {
  const path = await written(t);
  await chmod(path, 0o400);
  const linked = join(path, "..", "linked");
  await symlink(path, linked);
  await changeKeyring(linked, withKey);
  assert.deepEqual(
    (await readKeyring(path)).records.map(({ id }) => id),
    ["r1", "r2"],
  );
  assert.equal((await stat(path)).mode & 0o777, 0o400);
  assert.deepEqual((await readdir(join(path, ".."))).sort(), ["keyring.json", "linked"]);
});

test("of concurrent changes of the key ring some are refused, and no accepted change is lost", async (t) => {
  const path = await written(t);
  const changes = await Promise.allSettled(Array.from({ length: 4 }, () => changeKeyring(path, withKey)));
  const made = changes.filter(({ status }) => status === "fulfilled").length;
  assert.ok(made >= 1);
  for (const change of changes)
    if (change.status === "rejected") assert.match(change.reason.message, /^Another command is changing the key ring/);
  assert.equal((await readKeyring(path)).records.length, 1 + made);
});

test("a killed change of the key ring has no effect, and the next command says what to do", async (t) => {
  const path = await written(t);
  const program = `
    import { changeKeyring } from ${JSON.stringify(import.meta.resolve("./file.ts"))};
    await changeKeyring(${JSON.stringify(path)}, async () => process.kill(process.pid, "SIGKILL"));`;
  await assert.rejects(promisify(execFile)(process.execPath, ["--eval", program]));
  assert.deepEqual(await readKeyring(path), keyring);
  await assert.rejects(changeKeyring(path, withKey), /If none runs, one was killed: remove .*\/keyring\.json\.new\.$/);
  await rm(`${path}.new`);
  await changeKeyring(path, withKey);
  assert.equal((await readKeyring(path)).records.length, 2);
});

test("a change that fails leaves nothing behind", async (t) => {
  const path = await written(t);
  const failing = changeKeyring(path, () => Promise.reject(new KeyringError("played")));
  await assert.rejects(failing, /^KeyringError: played$/);
  assert.deepEqual(await readdir(join(path, "..")), ["keyring.json"]);
  await mkdir(`${path}.new`);
  await assert.rejects(changeKeyring(path, withKey), /Another command/);
  await assert.rejects(changeKeyring(`${path}.none`, withKey), /is missing/);
});

for (const mode of [0o640, 0o604, 0o602, 0o660, 0o677]) {
  test(`a key ring of mode ${mode.toString(8)} is refused, because others may read or change it`, async (t) => {
    const path = await written(t);
    await chmod(path, mode);
    await assert.rejects(readKeyring(path), {
      name: "KeyringError",
      message: `The key ring ${path} is open to other users (mode ${mode.toString(8)}): run chmod 600 ${path}.`,
    });
    await chmod(path, 0o600);
    assert.deepEqual(await readKeyring(path), keyring);
  });
}

const asRoot = process.geteuid?.() === 0 ? {} : { skip: "only root can give a file to another user" };
test("a key ring of another user is refused, even by root", asRoot, async (t) => {
  const path = await written(t);
  await chown(path, 12345, 12345);
  await assert.rejects(
    readKeyring(path),
    /belongs to user 12345, and this runs as user 0: run it as the owner, or run chown 0 /,
  );
});

test("the key ring is beside the data directory by default", () => {
  assert.equal(keyringPath({ keyring: "", dataDirectory: "/var/lib/duba/" }), "/var/lib/duba.keyring");
  assert.equal(keyringPath({ keyring: "/etc/ring", dataDirectory: "/var/lib/duba" }), "/etc/ring");
});
