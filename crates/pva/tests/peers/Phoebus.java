import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.epics.pva.client.PVAChannel;
import org.epics.pva.client.PVAClient;
import org.epics.pva.data.PVADouble;
import org.epics.pva.data.PVADoubleArray;
import org.epics.pva.data.PVAString;
import org.epics.pva.data.PVAStringArray;
import org.epics.pva.data.PVAStructure;
import org.epics.pva.data.nt.NotValueException;
import org.epics.pva.data.nt.PVAURI;
import org.epics.pva.server.PVAServer;
import org.epics.pva.server.WriteEventHandler;

/** What the command-line programs of core-pva cannot do: arrays and remote calls, as `client` and as `server`. */
public class Phoebus {
    static final double[] MANY = new double[100_000];

    public static void main(String[] words) throws Exception {
        Arrays.setAll(MANY, i -> i / 2.0);
        if (words[0].equals("client"))
            ask();
        else
            serve();
        System.exit(0);
    }

    // ---- client

    static void ask() throws Exception {
        try (PVAClient client = new PVAClient()) {
            write(client, "J:doubles", new double[] {0.25, -1e300, 3});
            write(client, "J:texts", new String[] {"grüße", "", "drei"});
            write(client, "J:many", MANY);
            write(client, "J:none", new double[0]);
            call(client, Map.of("a", "20", "b", "22.5"), 20);
            call(client, Map.of("a", "20"), 2);
        }
    }

    static PVAChannel connect(PVAClient client, String name) throws Exception {
        PVAChannel channel = client.getChannel(name);
        channel.connect().get(20, TimeUnit.SECONDS);
        return channel;
    }

    static void write(PVAClient client, String name, Object value) throws Exception {
        try (PVAChannel channel = connect(client, name)) {
            channel.write(true, "value", value).get(20, TimeUnit.SECONDS);
            System.out.println("wrote " + name);
        }
    }

    static void call(PVAClient client, Map<String, String> query, int seconds) throws Exception {
        try (PVAChannel channel = connect(client, "J:sum")) {
            PVAStructure answer = channel.invoke(new PVAURI("", "pva", "", "J:sum", query)).get(seconds, TimeUnit.SECONDS);
            PVADouble sum = answer.get("sum");
            PVAStringArray names = answer.get("names");
            System.out.println(answer.getStructureName() + " " + sum.get() + " " + String.join("+", names.get()));
        } catch (TimeoutException ex) {
            System.out.println("no answer");
        }
    }

    // ---- server

    static void serve() throws Exception {
        WriteEventHandler take = (tcp, pv, changes, written) -> pv.update(written);
        try (PVAServer server = new PVAServer()) {
            server.createPV("S:doubles", array(new PVADoubleArray("value", 1, 2.5)), take);
            server.createPV("S:many", array(new PVADoubleArray("value", MANY)), take);
            server.createPV("S:texts", array(new PVAStringArray("value", "ä", "", "c")), take);
            server.createPV("S:sum", Phoebus::sum);
            System.out.println("ready");
            // Until whoever started it ends.
            System.in.read();
        }
    }

    static PVAStructure array(org.epics.pva.data.PVAData value) {
        return new PVAStructure("array", "epics:nt/NTScalarArray:1.0", value, new PVAString("descriptor", "an array"));
    }

    static PVAStructure sum(PVAStructure arguments) throws Exception {
        PVAURI uri = PVAURI.fromStructure(arguments);
        if (uri == null)
            throw new Exception("wanted an NTURI");
        double sum = 0;
        try {
            for (String text : uri.getQuery().values())
                sum += Double.parseDouble(text);
        } catch (NotValueException ex) {
            // It is no Exception.
            throw new Exception("arguments that are no values", ex);
        }
        return new PVAStructure("answer", "sum_t", new PVADouble("sum", sum), new PVAString("of", uri.getPath()));
    }
}
