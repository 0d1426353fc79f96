import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

interface LoopbackProxy {
  readonly address: string;
  /** The hosts that it was asked to connect to, oldest first. */
  readonly hosts: readonly string[];
  readonly close: () => Promise<void>;
}

/** An HTTP proxy on loopback that tunnels every host name to one port of this computer. */
export async function startLoopbackProxy(port: () => number): Promise<LoopbackProxy> {
  const hosts: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => void response.writeHead(405).end());
  server.on('connect', ({ url = '' }, client: Socket) => {
    hosts.push(url);
    const upstream = connect(port(), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hosts,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
