// Checks a signature with sigstore's own packages: PACKAGES BUNDLE KEY; says which digest it is about.
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [packages, bundleFile, keyFile] = process.argv.slice(2);
const require = createRequire(packages + '/');
const { bundleFromJSON } = require('@sigstore/bundle');
const { toSignedEntity, Verifier } = require('@sigstore/verify');

const bundle = bundleFromJSON(JSON.parse(readFileSync(bundleFile)));
const publicKey = createPublicKey(readFileSync(keyFile));
const trust = {
  certificateAuthorities: [],
  timestampAuthorities: [],
  tlogs: [],
  ctlogs: [],
  publicKey: () => ({ publicKey, validFor: () => true }),
};
// A key of one's own has no log to be in.
const none = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 };
new Verifier(trust, none).verify(toSignedEntity(bundle));
const statement = JSON.parse(bundle.content.dsseEnvelope.payload.toString());
console.log(statement.subject[0].digest.sha256);
