// Only the pool: all of undici (fetch, caches, WebSockets) takes three times as long to load.
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';

  export default Pool;
}
