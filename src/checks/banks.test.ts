import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordedLog } from "../runtime/recorded-log.fixture.ts";
import { toIdentityRecord } from "./loose-record.ts";
import { bank } from "./normalise.ts";

/** Names of banks as vendors spell them, each with its code. */
const usual = `058 058 | 58 058 | 14 014 | GUARANTY TRUST BANK 058 | GTB 058 | GTBank 058 | GTBank Plc 058 | Access Bank 044 |
  ACCESS BANK PLC 044 | First Bank 011 | First Bank of Nigeria Plc 011 | UBA 033 | UNITED BANK FOR AFRICA PLC 033 |
  ZENITH BANK PLC 057 | FCMB 214 | Fidelity Bank 070 | Stanbic IBTC Bank 221`;

/** Names of banks as public lists spell them, each with its code. */
const published = `Citibank Nigeria Limited 023 | Ecobank Nigeria Plc 050 | First Bank Plc 011 |
  First City Monument Bank Plc 214 | Fidelity Bank Plc 070 | Globus Bank Limited 103 | Heritage Banking Company Ltd 030 |
  Keystone Bank Limited 082 | Parallex Bank Ltd 104 | Polaris Bank Plc 076 | Premium Trust Bank 105 | Providus Bank 101 |
  Stanbic IBTC Bank Plc 221 | Standard Chartered Bank Nigeria ltd 068 | Sterling Bank Plc 232 |
  Sun Trust Bank Nigeria Limited 100 | Titan Trust Bank Ltd 102 | Union Bank of Nigeria Plc 032 | Wema Bank Plc 035 |
  Signature Bank Ltd 106 | Optimus Bank 107 | Jaiz Bank Plc 301 | Taj Bank 302 | Lotus Bank 303 |
  First City Monument Bank (FCMB) 214 | Guaranty Trust Bank (GTBank) 058 | United Bank for Africa (UBA) 033 |
  Unity Bank 215 | Standard Chartered 068 | SunTrust Bank 100 | CITIBANK NIG LTD 023 | UBA PLC 033 | SKYE BANK PLC 076 |
  KEYSTONE BANK 082 | SUNTRUST BANK NIG LTD 100 | JAIZ BANK PLC 301 | ECOBANK NIGERIA LIMITED 050 |
  PREMIUM TRUST BANK LIMITED 105 | Access Bank (Diamond) 063 | ALAT by WEMA 035`;

const pairsIn = (list: string) =>
  list.split("|").map((line) => /^\s*(.+) (\d{3})\s*$/.exec(line)!.slice(1) as [name: string, code: string]);

test("a bank is read as its code from every usual spelling", () => {
  assert.equal(pairsIn(published).length, 40);
  for (const [name, code] of [...pairsIn(usual), ...pairsIn(published)])
    assert.deepEqual(bank(name), { text: code, isKnown: true }, name);
  assert.deepEqual(bank(14), { text: "014", isKnown: true });
});

test("a bank that the table does not clearly contain stays as the vendor wrote it", () => {
  for (const name of [
    ...["First Trust Bank", "Access Money", "Union Microfinance Bank", "Zenith Mobile", "Bank", "Trust", "000013"],
    ...["Guaranty Trust Bank (UBA)", "First Bank or UBA", "FidelityOne", "Unity Savings", "Sterling Mortgage Bank"],
  ])
    assert.deepEqual(bank(name), { text: name, isKnown: false }, name);
  assert.deepEqual(bank(9), { text: "9", isKnown: false });
  for (const nothing of ["", null, undefined]) assert.deepEqual(bank(nothing), { text: "", isKnown: true });
});

test("a bank unknown to the table is logged for the operator, without personal data", () => {
  const log = new RecordedLog();
  const person = { bvn_number: "22000000017", verification_status: "VERIFIED", personal_info: { last_name: "BELLO" } };
  const record = toIdentityRecord("bvn", { ...person, enrolment_bank: "Bank of Tomorrow" }, "vendor", log);
  assert.equal(record.enrolment_bank, "Bank of Tomorrow");
  assert.deepEqual(
    log.lines.map(({ fields }) => fields),
    [{ vendor: "vendor", member: "enrolment_bank", shape: "aaaa aa aaaaaaaa" }],
  );
});
