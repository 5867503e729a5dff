import gov.aps.jca.CAException;
import gov.aps.jca.CAStatus;
import gov.aps.jca.Channel;
import gov.aps.jca.Context;
import gov.aps.jca.JCALibrary;
import gov.aps.jca.Monitor;
import gov.aps.jca.dbr.DBR;
import gov.aps.jca.dbr.DBRType;
import gov.aps.jca.dbr.DBR_Byte;
import gov.aps.jca.dbr.DBR_CTRL_Double;
import gov.aps.jca.dbr.DBR_LABELS_Enum;
import gov.aps.jca.dbr.DBR_String;
import gov.aps.jca.dbr.DBR_TIME_Double;
import gov.aps.jca.dbr.DBR_TIME_Int;
import gov.aps.jca.event.GetEvent;
import gov.aps.jca.event.PutEvent;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** JCA, the Channel Access of Phoebus, CS-Studio and the Archiver Appliance, against a served run; argument: prefix. */
public class JcaClient {
    static final int SECONDS = 600;
    static Context context;
    static String prefix;

    static void check(boolean holds, Object found) {
        if (!holds) throw new AssertionError(String.valueOf(found));
    }

    static Channel open(String name) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        Channel channel = context.createChannel(prefix + name, event -> {
            if (event.isConnected()) connected.countDown();
        });
        context.flushIO();
        check(connected.await(SECONDS, TimeUnit.SECONDS), name + " does not connect");
        return channel;
    }

    static DBR get(Channel channel, DBRType type, int count) throws Exception {
        CompletableFuture<GetEvent> found = new CompletableFuture<>();
        channel.get(type, count, found::complete);
        context.flushIO();
        GetEvent event = found.get(SECONDS, TimeUnit.SECONDS);
        check(event.getStatus().isSuccessful(), event.getStatus());
        return event.getDBR();
    }

    static CAStatus put(String name, double value) throws Exception {
        CompletableFuture<PutEvent> done = new CompletableFuture<>();
        open(name).put(value, done::complete);
        context.flushIO();
        return done.get(SECONDS, TimeUnit.SECONDS).getStatus();
    }

    static double number(String name) throws Exception {
        return ((DBR_TIME_Double) get(open(name), DBR_TIME_Double.TYPE, 1)).getDoubleValue()[0];
    }

    static void reads() throws Exception {
        Channel period = open("cam1:AcquirePeriod");
        check(period.getReadAccess() && period.getWriteAccess() && period.getElementCount() == 1, period);
        DBR_CTRL_Double control = (DBR_CTRL_Double) get(period, DBR_CTRL_Double.TYPE, 1);
        check(control.getDoubleValue()[0] == 0.005 && control.getUnits().equals("s"), control);
        check(control.getPrecision() == 6 && control.getUpperCtrlLimit().doubleValue() == 1e9, control);
        DBR_LABELS_Enum mode = (DBR_LABELS_Enum) get(open("cam1:ImageMode"), DBR_LABELS_Enum.TYPE, 1);
        check(List.of(mode.getLabels()).equals(List.of("Single", "Multiple", "Continuous")), mode);
        Channel path = open("TIFF1:FilePath");
        check(path.getFieldType() == DBR_Byte.TYPE && path.getElementCount() == 256, path);
        DBR units = get(open("cam1:AcquirePeriod.EGU"), DBR_String.TYPE, 1);
        check(((DBR_String) units).getStringValue()[0].equals("s"), units);
        System.out.println("reads good");
    }

    static void writes() throws Exception {
        check(put("cam1:AcquirePeriod", 0.004).isSuccessful() && number("cam1:AcquirePeriod_RBV") == 0.004, "a put");
        check(!put("cam1:AcquirePeriod", -1).isSuccessful() && number("cam1:AcquirePeriod_RBV") == 0.004, "a refusal");
        Channel readback = open("cam1:ArrayCounter_RBV");
        check(!readback.getWriteAccess(), "rights of a readback");
        try {
            readback.put(1);
            check(false, "a put of a readback");
        } catch (CAException expected) {
            // The library knows the rights and does not even ask.
        }
        System.out.println("writes good");
    }

    static void acquisition() throws Exception {
        check(put("cam1:Acquire", 0).isSuccessful(), "an end");
        check(put("cam1:ImageMode", 1).isSuccessful() && put("cam1:NumImages", 5).isSuccessful(), "five pictures");
        check(put("cam1:ArrayCounter", 0).isSuccessful(), "a count from 0");
        BlockingQueue<Integer> seen = new LinkedBlockingQueue<>();
        Channel counter = open("cam1:ArrayCounter_RBV");
        counter.addMonitor(DBR_TIME_Int.TYPE, 1, Monitor.VALUE | Monitor.ALARM,
            event -> seen.add(((DBR_TIME_Int) event.getDBR()).getIntValue()[0]));
        context.flushIO();
        check(put("cam1:Acquire", 1).isSuccessful(), "an acquisition");
        check(number("cam1:NumImagesCounter_RBV") == 5, "a put that waits");
        for (int last = 0; last != 5; ) {
            last = seen.poll(SECONDS, TimeUnit.SECONDS);
        }
        System.out.println("acquisition good");
    }

    static void pictures() throws Exception {
        Channel image = open("image1:ArrayData");
        DBR pixels = get(image, image.getFieldType(), image.getElementCount());
        byte[] found = ((DBR_Byte) pixels).getByteValue();
        check(found.length == 64 * 32, found.length);
        for (int i = 0; i < found.length; i++) {
            check(found[i] == (byte) (found[0] + i % 64 + i / 64), i);
        }
        System.out.println("pictures good");
    }

    public static void main(String[] args) throws Exception {
        prefix = args[0];
        context = JCALibrary.getInstance().createContext(JCALibrary.CHANNEL_ACCESS_JAVA);
        reads();
        writes();
        acquisition();
        pictures();
        context.destroy();
    }
}
