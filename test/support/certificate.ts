import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";

/** Makes a key and a self-signed certificate for `localhost`, as PEM. */
export function localCertificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), "duba-tls-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert];
  try {
    execFileSync("openssl", [...made, ...names], { stdio: "ignore" });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Makes this process trust a certificate. Returns a function that undoes it. */
export function trust(cert: string): () => void {
  const usual = tls.getCACertificates("default");
  tls.setDefaultCACertificates([...usual, cert]);
  return () => tls.setDefaultCACertificates(usual);
}
