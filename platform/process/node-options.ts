/**
 * What a program of ours is started with on Node, wherever it is started: package.json and the container image say the
 * same. An API's objects live as long as a request. V8, left alone, sizes its heap by the machine and lets hundreds of
 * megabytes of them lie; so it collects sooner, at some CPU for the largest batches. And it takes what many requests
 * under way hold for long-lived, and puts all of its kind where only a full collection finds it: a fifth of a read's CPU.
 */
export function nodeOptionsOf(script: string): readonly string[] {
  return script === 'api/main.ts'
    ? ['--max-semi-space-size=16', '--max-old-space-size=1024', '--no-allocation-site-pretenuring']
    : [];
}
