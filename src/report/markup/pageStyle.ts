import { builtText } from '../builtFile.ts';
import { verdictGroups } from '../verdicts/verdictFacts.ts';

/** Colours of the groups: background and ink, light and dark; every pair has a contrast of at least 4.5. */
const light = `--bg:#f2f6f9;--card:#fff;--ink:#10212d;--soft:#4a5f6d;--line:#d5e1e9;--accent:#075e94;--halo:#7cb8dd;--rail:#dfe8ee;
--agrees:#d8f1e2;--agrees-ink:#0a5733;--rounded:#d5edf6;--rounded-ink:#0b4f68;--waiting:#e4edf3;--waiting-ink:#3b5262;--own:#ebe8f4;--own-ink:#524d6c;
--served:#ffe8d0;--served-ink:#7d3f00;--explained:#fbf0bb;--explained-ink:#645000;--differs:#c4272b;--differs-ink:#fff;
--l1:#2f9e68;--l2:#9ad3b4;--l3:#e2c55f;--l4:#c4272b`;
const dark = `--bg:#0b131a;--card:#121d26;--ink:#e6eef3;--soft:#9fb3c0;--line:#263744;--accent:#7cc2f0;--halo:#2f6d96;--rail:#22313c;
--agrees:#123a27;--agrees-ink:#93e4b6;--rounded:#0f3646;--rounded-ink:#8ed6f2;--waiting:#1d2b36;--waiting-ink:#abc1ce;--own:#272540;--own-ink:#c0bae0;
--served:#472b0f;--served-ink:#ffca98;--explained:#3d340e;--explained-ink:#f1db80;--differs:#cf3338;--differs-ink:#fff;
--l1:#2f9e68;--l2:#1e5a3d;--l3:#8a7420;--l4:#cf3338`;

/** The style of the page, whole: it loads nothing. */
export const pageStyle = (): string => `${builtText('plot.css')}${ownStyle}`;

const ownStyle = `
:root{color-scheme:light dark;${light}}
@media (prefers-color-scheme:dark){:root:not([data-paper]){${dark}}}
*{box-sizing:border-box}
[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%;scroll-padding-top:3.2rem}
body{margin:0;overflow-wrap:anywhere;background:var(--bg);color:var(--ink);font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
main,header,footer,nav ul{max-width:82rem;margin:0 auto;padding:0 1rem}
h1,h2,h3,h4,p,ul,dl,dd,figure{margin:0}
a{color:var(--accent)}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.87em}
code{overflow-wrap:anywhere}
pre{margin:.3rem 0 .6rem;padding:.5rem .7rem;background:var(--bg);border:1px solid var(--line);border-radius:6px;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}
small{font-size:.85em;font-weight:400;color:inherit}
h2 small,h2+small{color:var(--soft)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:3px}
.vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:1rem;top:-4rem;background:var(--card);padding:.5rem 1rem;z-index:3}
.skip:focus{top:.5rem}
.i{width:1em;height:1em;vertical-align:-.13em;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.c{border-radius:5px}
${verdictGroups.map((group) => `.c.${group}{background:var(--${group});color:var(--${group}-ink)}`).join('')}
.brand{padding:1rem 0 .5rem;color:var(--soft)}
.brand b{color:var(--ink);font-size:1.15rem;letter-spacing:.01em}
.brand span{margin-left:.6rem;padding-left:.7rem;border-left:1px solid var(--line)}
h1{display:flex;gap:.6rem;align-items:baseline;font-size:1.55rem;line-height:1.25;padding:.7rem 1rem;font-weight:650}
h1.c{border-radius:8px}
h1.c:has(+.shares){border-radius:8px 8px 0 0}
h1 .i{flex:none;align-self:center}
.t{white-space:nowrap}
h1:not(.c){padding-inline:0}
.shares{display:block;width:100%;height:8px;background:var(--rail);border-radius:0 0 8px 8px}
.rest{margin:.5rem 0 0;color:var(--soft)}
.attention{margin:.6rem 0 0;padding:.6rem 1rem .6rem 2rem;background:var(--served);color:var(--served-ink);border-radius:8px}
.attention a{color:inherit}
dl{display:flex;flex-wrap:wrap;gap:.4rem 2.2rem;padding:.8rem 0}
dt{font-size:.8rem;color:var(--soft)}
dd span{display:block}
nav{position:sticky;top:0;z-index:2;background:var(--bg);border-block:1px solid var(--line)}
nav ul{display:flex;gap:.2rem;list-style:none;overflow-x:auto}
nav a{display:block;padding:.5rem .6rem;text-decoration:none;white-space:nowrap}
nav a:hover{text-decoration:underline}
main>section{padding:1.4rem 0 .4rem}
h2{font-size:1.3rem;margin-bottom:.6rem}
h3{font-size:1.05rem;margin:.8rem 0 .5rem}
.note,.empty{color:var(--soft);margin:.4rem 0}
.wide{overflow-x:auto;max-width:100%;position:relative}
table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;color:var(--soft);padding:.3rem 0;font-size:.85rem}
th,td{text-align:left;padding:.32rem .6rem;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:break-word}
table code{overflow-wrap:break-word}
thead th{font-weight:600;color:var(--soft);font-size:.82rem;white-space:nowrap}
tbody th{font-weight:500}
.n{text-align:right;white-space:nowrap}
.rows td{max-width:44rem}
td .c{padding:.1rem .45rem;white-space:nowrap}
.legend{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:.3rem 1.2rem;list-style:none;padding:0;margin-bottom:.9rem;font-size:.86rem}
.legend li{display:flex;gap:.55rem;align-items:baseline}
.legend .c{flex:none;min-width:5.2rem;padding:.05rem .45rem;font-weight:600}
.legend li>span+span{color:var(--soft)}
.legend b{color:var(--ink)}
.legend+details{margin:-.6rem 0 .7rem;font-size:.86rem}.legend+details .legend{margin:.3rem 0 0}
.matrices{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,32rem),1fr));gap:1rem}
.matrices>.wide,.plots figure,.calendars>section,.x,#streams>.wide,#runs>.wide,#limits>.wide,.quotas>.wide{background:var(--card);border:1px solid var(--line);border-radius:8px}
.matrices>.wide{padding:.2rem .7rem .7rem}
.matrix{border-collapse:separate;border-spacing:3px}
.matrix caption{color:var(--ink);font-size:1rem;font-weight:650}
.matrix th,.matrix td{border:0;padding:.14rem .4rem}
.matrix tbody th{font-size:.86rem;padding-left:0;white-space:nowrap}
.matrix thead th+th{text-align:center}
.matrix td{text-align:center;white-space:nowrap;min-width:4.2rem;font-weight:600}
.matrix td.none{background:none;color:var(--soft)}
.matrix a{color:inherit;display:block;text-decoration:none}
.matrix a:hover{text-decoration:underline}
.matrix small{opacity:.95}
details>summary{cursor:pointer;padding:.35rem 0;color:var(--accent)}
details>summary::marker{color:var(--soft)}
.x{margin:.5rem 0}
.x>summary{display:flex;flex-wrap:wrap;gap:.2rem .6rem;align-items:baseline;padding:.5rem .8rem;color:var(--ink);list-style:none}
.x>summary::-webkit-details-marker{display:none}
.x>summary>.i{align-self:center}
.x>summary span{color:var(--soft)}
.x>summary::before{content:"";width:.45em;height:.45em;border:solid var(--soft);border-width:0 2px 2px 0;rotate:-45deg;align-self:center}
.x[open]>summary::before{rotate:45deg}
.x .verdict{color:var(--ink)}
.x.differs>summary>.i{color:var(--l4)}.x.served>summary>.i{color:var(--served-ink)}.x.explained>summary>.i{color:var(--explained-ink)}.x.own>summary>.i{color:var(--own-ink)}.x.rounded>summary>.i{color:var(--rounded-ink)}
.x>div{padding:0 .9rem .7rem;overflow-wrap:anywhere}
.x p{margin:.35rem 0}
.end{margin-left:auto;text-align:right}
.key{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;color:var(--soft);font-size:.86rem;margin-bottom:.5rem}
.k::before{content:"";display:inline-block;width:1.1em;height:.75em;margin-right:.4em;border-radius:2px;background:currentColor}
.k.own:not(.l)::before{height:4px;border-radius:2px;background:var(--halo);vertical-align:.25em}
.k.srv::before{height:1.5px;background:var(--ink);vertical-align:.3em}
${verdictGroups.map((group) => `.b.${group},.k.${group}:not(.own):not(.l)::before{fill:var(--band,var(--${group}));background:var(--${group})}`).join('')}
.k.own~.k.own::before{height:.75em;background:var(--own);vertical-align:baseline}
.k.l.traces::before{background:var(--l1)}.k.l.receipts::before{background:var(--l2)}.k.l.blocks::before{background:var(--l3)}.k.l.holes::before{background:var(--l4)}
.k.open::before{background:none;box-shadow:inset 0 0 0 1.5px var(--ink);width:.75em}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,23rem),1fr));gap:.8rem}
.plots figure{padding:.6rem .8rem .3rem;min-width:0}
figcaption{display:flex;flex-wrap:wrap;gap:.05rem .6rem;align-items:baseline}
figcaption h3{flex:1 0 calc(100% - 3rem);font-size:.95rem;margin:0}
figcaption code,figcaption small{color:var(--soft)}
figcaption .end{font-weight:600}
figcaption a.end{font-weight:400;font-size:.86rem}
figcaption .c{padding:.05rem .35rem}
svg text{font-size:10.5px;fill:var(--soft);font-family:inherit}
.grid{stroke:var(--line);stroke-width:1;fill:none}
.shares .b.agrees{fill:var(--l1)}.shares .b.rounded{fill:var(--halo)}.shares .b.waiting{fill:var(--soft);fill-opacity:.5}.shares .b.served{fill:var(--served-ink);fill-opacity:.6}.shares .b.explained{fill:var(--l3)}.shares .b.own{fill:var(--own-ink);fill-opacity:.5}.shares .b.differs{fill:var(--l4)}
.controls{display:flex;flex-wrap:wrap;gap:.5rem 1.2rem;align-items:center;margin:.6rem 0}
.choices{display:flex;flex-wrap:wrap;gap:.4rem .9rem;min-width:0;border:1px solid var(--line);border-radius:6px;margin:0;padding:.25rem .7rem}
select,input,button,textarea{font:inherit;color:inherit;background:var(--card);border:1px solid var(--soft);border-radius:6px;padding:.25rem .5rem;max-width:100%}
.controls select{max-width:min(20rem,70vw)}
input[type=radio],input[type=checkbox]{accent-color:var(--accent)}
button{cursor:pointer;flex:none}
::placeholder{color:var(--soft);opacity:1}
button:hover:enabled{border-color:var(--accent);color:var(--accent)}
button:disabled{opacity:.6;cursor:default}
.plot{min-height:150px;margin-top:.3rem;cursor:crosshair}
.u-select{background:var(--accent);opacity:.2}
.u-hz .u-cursor-x,.u-vt .u-cursor-y{border-right:1px solid var(--accent)}
.latest-value{flex:1 0 100%;font-size:.9rem;min-height:1.45em}
.latest-value.settled b{font-size:1.1rem}
.latest-value small{color:var(--soft)}
.provisional{color:var(--waiting-ink)}
.readout{min-height:4.4em;font-size:.84rem;color:var(--soft);overflow-wrap:anywhere}
.filter{margin:.3rem 0 .6rem}
.filter input{width:min(100%,22rem)}
.latest .wide{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.1rem .4rem;margin-bottom:.6rem}
dialog{width:min(64rem,100% - 1rem);max-height:calc(100% - 1rem);padding:0 1.1rem 1rem;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:10px}
dialog::backdrop{background:#0009}
.details-head{position:sticky;top:0;display:flex;gap:1rem;justify-content:space-between;align-items:start;padding:.9rem 0 .5rem;background:var(--card);z-index:1}
.details-head h2{margin:0;outline:0}
.verdicts{padding-left:0;list-style:none;margin:.4rem 0}
.verdicts li{margin:.3rem 0}
.verdicts .c,dd .c{padding:.05rem .45rem;white-space:nowrap}
.definition{margin:.6rem 0}
.sql{margin-top:.7rem}
.sql p,.pager p{margin:.3rem 0}
.bad{color:var(--differs-ink);background:var(--differs);padding:.4rem .7rem;border-radius:6px}
.brand a{margin-left:.6rem}
.null{color:var(--soft);font-size:.85em}
textarea{width:100%;min-height:9rem;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.87em}
.calendars{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem}
.calendars>section{padding:.2rem .9rem .5rem;min-width:0}
.l.traces{fill:var(--l1)}.l.receipts{fill:var(--l2)}.l.blocks{fill:var(--l3)}.l.holes{fill:var(--l4)}
.years{display:flex;flex-wrap:wrap;gap:.3rem 1.5rem}
.cal{display:block;flex:none;margin:.2rem 0}
.runs td:nth-child(3){min-width:12rem}
rect.open{fill:none;stroke:var(--ink);stroke-width:1.5}
.quotas{display:flex;flex-wrap:wrap;gap:1rem;margin-top:.8rem}
.quotas>.wide{flex:1 1 18rem;padding:.2rem .6rem}
#limits>.wide,#runs>.wide,#streams>.wide{padding:.1rem .4rem}
.bar{width:6rem;height:.6rem;vertical-align:-.05em;fill:var(--l1)}
.bar.full{fill:var(--l4)}
.bar .rail{fill:var(--rail)}
.live{position:fixed;right:1rem;bottom:1rem;padding:.6rem 1rem;background:var(--accent);color:var(--bg);border-radius:8px;z-index:4}
.live a{color:inherit}
footer{padding:1.5rem 1rem 2.5rem;color:var(--soft);font-size:.86rem}
@media (max-width:38rem){
h1{font-size:1.2rem;padding:.6rem .8rem}
th,td{padding:.3rem .4rem}
.matrix{border-spacing:2px;font-size:.78rem}
.matrix td{min-width:0;padding:.14rem .15rem}
.matrix tbody th{font-size:.74rem;padding-right:0}
.matrix thead th{font-size:.74rem;padding:.1rem}
.matrix small{display:block}
.matrices>.wide{padding:.2rem .4rem .5rem}
.stack,.stack tbody,.stack tr,.stack th,.stack td,.stack caption{display:block}
.stack thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.stack tr{padding:.35rem 0;border-bottom:1px solid var(--line)}
.stack th,.stack td{overflow:hidden;border:0;padding:.12rem .2rem;text-align:right;white-space:normal;overflow-wrap:anywhere}
.stack th::before,.stack td::before{content:attr(data-label);float:left;max-width:45%;margin-right:.6rem;font-weight:400;color:var(--soft);text-align:left}
.stack td .c,.verdicts .c,dd .c{white-space:normal}
.stack .prose{text-align:left}
.stack .prose::before{float:none;display:block}
.x .end{margin-left:0}
}
@media print{
:root{color-scheme:light;${light}}
html{font-size:11px}
body{background:#fff;font-size:10.5px}
nav,.skip,.readout,.hint,.live,.controls,.filter,dialog,figcaption a{display:none}
.wide{overflow:visible;max-height:none}
section,.x,figure,tr,.matrices>.wide{break-inside:avoid}
main>section{break-inside:auto}
.plots{grid-template-columns:repeat(2,minmax(0,1fr));gap:.4rem}
.matrices,.calendars{grid-template-columns:repeat(2,minmax(0,1fr));gap:.5rem}
.cal{max-width:100%;height:auto}
.matrix small{display:none}
th,td{padding:.15rem .3rem}
.n,td .c,thead th{white-space:normal}
table code{overflow-wrap:anywhere}
.matrix td{min-width:0;padding:.1rem}
.matrix tbody th{padding:.1rem 0}
header,main,footer{padding-inline:0}
.calendars details,.latest,#waiting table{display:none}
.plot{width:100%;overflow:hidden}
.x::details-content{content-visibility:visible;display:block}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
@media (forced-colors:active){.c{border:1px solid}}
`.replace(/\n/g, '');
